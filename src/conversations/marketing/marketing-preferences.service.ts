import { Injectable } from '@nestjs/common';
import { sanitizeText, type AccountKey } from '#contracts';
import { Clock } from '../../core/clock/clock.service';
import { Database } from '../../core/database/database.service';
import { PREFER, REFUSE, STOP, type StopRow } from './marketing-preferences.rows';

/** Remembers which people take no marketing messages of the business. */
@Injectable()
export class MarketingPreferences {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** @param at since when; an invalid time is now */
  async prefer(
    { environment, platform, account }: AccountKey,
    participantId: string,
    allowed: boolean,
    at: Date,
  ): Promise<void> {
    const since = Number.isNaN(at.getTime()) ? this.clock.date() : at;
    await this.database.query(PREFER, [environment, platform, sanitizeText(participantId), allowed, since, account]);
  }

  /** The platform refused marketing messages in these conversations: that counts as a stop for seven days. */
  async refused(conversationIds: readonly string[]): Promise<void> {
    if (conversationIds.length > 0) await this.database.query(REFUSE, [conversationIds]);
  }

  /** The stop that is in force in a conversation. */
  async stopIn(conversationId: string): Promise<StopRow | undefined> {
    const [stop] = await this.database.query<StopRow>(STOP, [conversationId]);
    return stop;
  }
}
