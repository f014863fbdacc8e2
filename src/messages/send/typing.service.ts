import { Injectable } from '@nestjs/common';
import type { AccountKey } from '#contracts';
import { repeat } from '../../core/clock/repeat';
import { Database } from '../../core/database/database.service';
import { Integrations } from '../../integrations/integrations.service';
import { Adapters } from '../../integrations/platforms/adapters.service';
import { ANSWERED_MESSAGE } from './outbound.rows';

export interface TypingSlot extends AccountKey {
  participantId: string;
  address: string | null;
}

/** Shows that an answer is being written. Best effort: it never delays or fails the answer. */
@Injectable()
export class Typing {
  constructor(
    private readonly integrations: Integrations,
    private readonly adapters: Adapters,
    private readonly database: Database,
  ) {}

  /** @returns a function that ends it */
  start(place: TypingSlot): () => void {
    if (!this.integrations.isConnected(place)) return () => undefined;
    const { typingIntervalMs } = this.adapters.of(place);
    const show = () => void this.show(place).catch(() => undefined);
    show();
    return repeat(typingIntervalMs, show);
  }

  private async show({ environment, platform, account, participantId, address }: TypingSlot): Promise<void> {
    const adapter = this.adapters.of({ environment, platform, account });
    const [answered] = adapter.capabilities.typingNeedsMessage
      ? await this.database.query<{ id: string | null }>(ANSWERED_MESSAGE, [
          environment,
          platform,
          participantId,
          account,
        ])
      : [];
    await adapter.showTyping(participantId, address ?? undefined, answered?.id ?? undefined);
  }
}
