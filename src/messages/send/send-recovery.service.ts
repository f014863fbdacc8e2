import { Injectable, type OnModuleInit } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { IsNull, Not, Repository } from 'typeorm';
import { sendFailure, type Attachment } from '#contracts';
import { Clock } from '../../core/clock/clock.service';
import { Database } from '../../core/database/database.service';
import type { DueRow } from '../../core/work/due.rows';
import { Timers } from '../../core/work/timers/timers.service';
import { Work } from '../../core/work/work.service';
import { Integrations } from '../../integrations/integrations.service';
import { Adapters } from '../../integrations/platforms/adapters.service';
import { Attachments } from '../../media/attachments.service';
import { DeliveryConfirmer } from '../receipts/delivery-confirmer.service';
import { SendService } from './send.service';
import { isExpired } from './schedule-result';
import { MessagePartEntity } from '../entities/message-part.entity';
import { MessageTaskEntity } from '../entities/message-task.entity';
import { MessageEntity, senderOf } from '../entities/message.entity';
import type { OutboundMessage, OutboundOptions } from './outbound-message';
import { ADOPT_FORMER_SENDS, DUE_SENDS, NEXT_PLATFORM_CHECK } from './outbound.rows';

export const PENDING_SENDS = 'pending-sends';

/** How long a platform is trusted to recognise a repeated send, in milliseconds (Discord: "the past few minutes"). */
const DEDUPLICATED_MS = 120_000;

interface TaskRow extends DueRow {
  message_id: string;
  write_started_at: Date | null;
}

/** How often, and how far back, messages that the version before left are searched. */
const FORMER_SENDS_MS = 10_000;
const FIRST_SEARCH = '1 day';
const LATER_SEARCH = '10 minutes';

/**
 * Sends pending messages: those whose platform asked to wait, answers whose platform is unavailable, and those whose
 * process died. A delivery of the sandbox whose process died is confirmed.
 */
@Injectable()
export class SendRecovery implements OnModuleInit {
  constructor(
    private readonly work: Work,
    @InjectRepository(MessageEntity) private readonly messages: Repository<MessageEntity>,
    @InjectRepository(MessagePartEntity) private readonly parts: Repository<MessagePartEntity>,
    @InjectRepository(MessageTaskEntity) private readonly tasks: Repository<MessageTaskEntity>,
    private readonly integrations: Integrations,
    private readonly adapters: Adapters,
    private readonly delivery: SendService,
    private readonly clock: Clock,
    private readonly attachments: Attachments,
    private readonly confirmer: DeliveryConfirmer,
    private readonly database: Database,
    timers: Timers,
  ) {
    let interval = FIRST_SEARCH;
    timers.every('The search for sends of the version before', FORMER_SENDS_MS, async () => {
      await this.database.query(ADOPT_FORMER_SENDS, [interval]);
      interval = LATER_SEARCH;
    });
  }

  onModuleInit(): void {
    this.work.register<TaskRow>({
      name: PENDING_SENDS,
      due: DUE_SENDS,
      concurrency: 32,
      run: (row, signal) => this.takeUp(row, signal),
    });
  }

  private async takeUp({ message_id: id, write_started_at, fence }: TaskRow, signal: AbortSignal): Promise<void> {
    const message = await this.messages.findOne({ where: { id }, relations: { conversation: true } });
    const recipient = message?.conversation?.participantId ?? null;
    // Without a recipient, the conversation is being erased, and the message with it.
    if (!message || !['pending', 'sent'].includes(message.status) || recipient === null) {
      await this.tasks.delete({ messageId: id, fence });
      return;
    }
    const attachments = message.hasAttachments ? (await this.attachments.ofMessages([id])).get(id) : undefined;
    const outbound = toOutbound(message, recipient, attachments ?? [], fence);
    if (message.status === 'sent') {
      this.confirmer.confirm(outbound);
      return;
    }
    const { capabilities } = this.adapters.of(message);
    const isAnswer = message.apiKeyId === null;
    const writtenMs = write_started_at && this.clock.now() - write_started_at.getTime();
    const recognised = capabilities.deduplicatesSends && writtenMs !== null && writtenMs < DEDUPLICATED_MS;
    const interrupted = writtenMs !== null && !recognised;
    if (interrupted && !isAnswer) {
      // The process died between writing to the platform and recording the outcome.
      await this.delivery.fail(outbound, sendFailure('ambiguous'));
      return;
    }
    const sent = await this.parts.findBy({ messageId: id, platformMessageId: Not(IsNull()) });
    if (isAnswer && sent.length === 0 && message.seq <= message.conversation!.handlingSeq) {
      await this.delivery.fail(outbound, sendFailure('taken_over'));
      return;
    }
    if (!this.integrations.isConnected(message)) {
      if (message.sendAt && isExpired(message.sendAt, this.clock.now())) {
        await this.delivery.fail(outbound, sendFailure('expired'));
        return;
      }
      await this.tasks.update(
        { messageId: id, fence },
        { leaseUntil: null, attempts: 0, nextAt: () => NEXT_PLATFORM_CHECK },
      );
      return;
    }
    await this.delivery.deliver(outbound, { done: new Set(sent.map(({ partIndex }) => partIndex)), signal });
  }
}

function toOutbound(
  message: MessageEntity,
  recipient: string,
  attachments: readonly Attachment[],
  fence: number,
): OutboundMessage {
  const { aiModel: model, inputTokens, outputTokens, latencyMs } = message;
  const conversation = message.conversation!;
  return {
    id: message.id,
    environment: message.environment,
    platform: message.platform,
    account: message.account,
    conversationId: message.conversationId,
    recipient: (message.options as OutboundOptions | null)?.named ?? recipient,
    recipientName: conversation.participantName,
    address: conversation.address,
    lastInboundAt: conversation.lastInboundAt,
    content: message.content,
    attachments,
    options: message.options as OutboundOptions,
    sentBy: senderOf(message)!,
    ai:
      model === null
        ? null
        : { model, tokens: { input: inputTokens ?? 0, output: outputTokens ?? 0 }, latencyMs: latencyMs ?? 0 },
    fence,
    repeats: message.repeats ?? [],
    traceparent: message.traceparent,
  };
}
