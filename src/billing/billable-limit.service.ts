import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Environment, Platform } from '#contracts';
import { Clock } from '../core/clock/clock.service';
import { DAY_MS, utcDay } from '../core/clock/timeline';
import { queryIn, Database } from '../core/database/database.service';
import { RateLimitError } from '../core/http/lifecycle/api-error';
import { SettingsService } from '../core/settings/settings.service';
import { BILLABLE, RESERVE } from './billing.rows';
import { isBilled } from './billing.service';

/** Billable messages reserved from the limit of a day. */
export interface Reservation {
  /** UTC. */
  day: string;
  messages: number;
}

/**
 * Enforces `rate_limits.billable_messages_per_day`. The transaction that stores a message reserves its billable parts
 * (`options.reserved`), and the transaction that gives up an unsent message returns them (`GIVE_BACK`): a crash leaves
 * both or neither. Callbacks of the platform correct the count (`BILL`).
 */
@Injectable()
export class BillableLimit {
  constructor(
    private readonly database: Database,
    private readonly settings: SettingsService,
    private readonly clock: Clock,
  ) {}

  isLimited(environment: Environment, platform: Platform): boolean {
    return isBilled(platform) && this.limitOf(environment) !== null;
  }

  /** To be stored with a message. @param at when it is sent; default: now */
  reservation(messages: number, at?: Date): Reservation {
    return { day: utcDay(at?.getTime() ?? this.clock.now()), messages };
  }

  /** Checks for room for one more message today, and reserves nothing. @returns a refusal if there is none */
  async refusal(environment: Environment, platform: Platform): Promise<RateLimitError | undefined> {
    const limit = this.limitOf(environment);
    if (limit === null || !isBilled(platform)) return undefined;
    const { day } = this.reservation(1);
    const [row] = await this.database.query<{ messages: number }>(BILLABLE, [environment, day]);
    return row!.messages < limit ? undefined : this.refuse(limit, { day, messages: 1 });
  }

  /**
   * Reserves `options.reserved` of a message. Call it last in the transaction that stores the message: all messages of a day
   * lock the same row.
   * @param room how many of them must fit below the limit; default: all; 0: the limit does not count
   * @throws RateLimitError if fewer fit
   */
  async reserve(
    { environment, options: { reserved } }: { environment: Environment; options: { reserved?: Reservation } },
    transaction: EntityManager,
    room = reserved?.messages,
  ): Promise<void> {
    if (!reserved || room === undefined) return;
    const limit = this.limitOf(environment);
    const rows = await queryIn(transaction, RESERVE, [environment, reserved.day, reserved.messages, limit, room]);
    if (rows.length === 0) throw this.refuse(limit!, { day: reserved.day, messages: room });
  }

  private refuse(limit: number, { day, messages }: Reservation): RateLimitError {
    const seconds = Math.ceil((Date.parse(day) + DAY_MS - this.clock.now()) / 1_000);
    return new RateLimitError(
      'billable',
      {
        limit,
        window_seconds: DAY_MS / 1_000,
        // A message that is larger than the limit never fits.
        retry_after_seconds: messages > limit ? null : seconds,
        scope: 'billable',
      },
      `More than ${limit} billable messages in a UTC day.`,
    );
  }

  private limitOf(environment: Environment): number | null {
    return this.settings.of(environment).rate_limits.billable_messages_per_day;
  }
}
