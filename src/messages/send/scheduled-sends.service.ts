import { Injectable, type OnModuleInit } from '@nestjs/common';
import { sendFailure, type Environment, type Platform } from '#contracts';
import { Clock } from '../../core/clock/clock.service';
import { Database } from '../../core/database/database.service';
import type { DueRow } from '../../core/work/due.rows';
import { Work } from '../../core/work/work.service';
import { Integrations } from '../../integrations/integrations.service';
import { toAttachments } from '../../media/message-attachments.rows';
import { GIVE_BACK } from '../../billing/billing.rows';
import type { OutboundMessage } from './outbound-message';
import { FIRST_FENCE } from './outbound.rows';
import { SendService } from './send.service';
import { isExpired } from './schedule-result';
import {
  CANCEL_SCHEDULED,
  DUE_SCHEDULED_SENDS,
  POSTPONE_SCHEDULED,
  START_SCHEDULED,
  type StartedRow,
} from './scheduled-sends.rows';

export const SCHEDULED_SENDS = 'scheduled-sends';

/** When to check again whether the platform has recovered, in seconds. */
const NEXT_PLATFORM_CHECK_SECONDS = 2;

interface ScheduledRow extends DueRow {
  message_id: string;
  platform: Platform;
  account: string;
  send_at: Date;
}

/**
 * Sends messages whose time has come. While the platform is unavailable, a message stays scheduled for up to an hour; then
 * it fails.
 */
@Injectable()
export class ScheduledSends implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly work: Work,
    private readonly integrations: Integrations,
    private readonly delivery: SendService,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.work.register<ScheduledRow>({
      name: SCHEDULED_SENDS,
      due: DUE_SCHEDULED_SENDS,
      concurrency: 32,
      run: (row) => this.send(row),
    });
  }

  /** @returns whether the message still waited */
  async cancel(environment: Environment, id: string): Promise<boolean> {
    return this.database.transaction(async (client) => {
      const cancelled = await this.database.query(CANCEL_SCHEDULED, [id, environment], client);
      if (cancelled.length > 0) await this.database.query(GIVE_BACK, [[id]], client);
      return cancelled.length > 0;
    });
  }

  /** Takes no signal: once the message has started, its own lease counts, and no longer that of the scheduled row. */
  private async send(row: ScheduledRow): Promise<void> {
    const { message_id, send_at, fence } = row;
    const expired = isExpired(send_at, this.clock.now());
    if (!expired && !this.integrations.isConnected(row)) {
      await this.database.query(POSTPONE_SCHEDULED, [message_id, fence, NEXT_PLATFORM_CHECK_SECONDS]);
      return;
    }
    const leasedAt = performance.now();
    const [started] = await this.database.query<StartedRow>(START_SCHEDULED, [message_id, fence]);
    if (!started) return;
    const message = toOutbound(started, leasedAt);
    if (expired) await this.delivery.fail(message, sendFailure('expired'));
    else await this.delivery.deliver(message);
  }
}

function toOutbound(row: StartedRow, leasedAt: number): OutboundMessage {
  const { id, environment, platform, account, content, options, recipient, address, traceparent } = row;
  return {
    id,
    environment,
    platform,
    account,
    conversationId: row.conversation_id,
    recipient: options.named ?? recipient,
    recipientName: row.participant_name,
    address,
    lastInboundAt: row.last_inbound_at,
    content,
    attachments: toAttachments(row.attachments),
    options,
    sentBy: 'api',
    ai: null,
    fence: FIRST_FENCE,
    repeats: [],
    leasedAt,
    traceparent,
  };
}
