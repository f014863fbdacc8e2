import { Injectable } from '@nestjs/common';
import type { PoolClient } from 'pg';
import { fromPublicId, toPublicId, type Environment, type Platform } from '#contracts';
import { ApiError } from '../core/http/lifecycle/api-error';
import type { Caller } from '../core/http/lifecycle/request-context';
import { RateLimiter } from '../core/rate-limiting/sliding-window';
import { SettingsService } from '../core/settings/settings.service';
import { DueWork } from '../core/jobs/due-work.service';
import { Integrations } from '../integrations/integrations.service';
import { Adapters } from '../integrations/platforms/adapters.service';
import { SendService } from './outbound/send.service';
import { SendOptionsDto, type SendMessageDto } from './dto/send-message.dto';
import type { MessageDto, SendResultDto } from './dto/message.dto';
import { MessageReader } from './list/message-reader.service';
import type { OutboundDraft, OutboundMessage, OutboundOptions, SendProgress } from './outbound/outbound-message';
import { OutboundStore } from './outbound/outbound-store.service';
import { PENDING_SENDS } from './outbound/send-recovery.service';

@Injectable()
export class MessagesService {
  constructor(
    private readonly integrations: Integrations,
    private readonly adapters: Adapters,
    private readonly store: OutboundStore,
    private readonly delivery: SendService,
    private readonly reader: MessageReader,
    private readonly limiter: RateLimiter,
    private readonly settings: SettingsService,
    private readonly work: DueWork,
  ) {}

  /**
   * Sends a message for a client: stores it, sends it to the platform, then answers.
   * @param id UUID of the message
   */
  async send({ environment, keyId }: Caller, request: SendMessageDto, id?: string): Promise<SendResultDto> {
    const { platform, recipient, message: content } = request;
    const participantId = this.adapters.of(environment, platform).participantId(recipient);
    const options = await this.resolveOptions({ environment, platform, participantId }, request);
    this.integrations.assertConnected(environment, platform, recipient);
    await this.limitMessages(environment, keyId);
    const message = await this.store.accept({
      id,
      environment,
      platform,
      recipient: participantId,
      content,
      options,
      apiKeyId: keyId,
    });
    // The platform and the answer get the recipient in the client's own form.
    const asNamed = { ...message, recipient };
    const { promise: waiting, reject } = Promise.withResolvers<never>();
    const delivered = this.delivery.deliver(asNamed, { waits: reject });
    delivered.catch(() => undefined); // once `waiting` has rejected, nothing else handles this
    const progress = await Promise.race([delivered, waiting]);
    return toSendResult(asNamed, progress);
  }

  async read(environment: Environment, id: string): Promise<MessageDto> {
    const message = await this.reader.find(environment, id);
    if (!message) throw ApiError.notFound('message', toPublicId('message', id));
    return message;
  }

  /** Stores an answer of the assistant in the transaction that records which messages it answers. */
  acceptAnswer(draft: OutboundDraft, client: PoolClient): Promise<OutboundMessage> {
    return this.store.accept(draft, client);
  }

  /** Sends a committed answer; if its platform is unavailable, the answer waits until it has recovered. */
  async deliverAnswer(message: OutboundMessage, signal?: AbortSignal): Promise<void> {
    if (this.integrations.isConnected(message.environment, message.platform)) {
      await this.delivery.deliver(message, { signal });
      return;
    }
    await this.store.postpone(message, 0);
    this.work.signal(PENDING_SENDS);
  }

  private async limitMessages(environment: Environment, keyId: string): Promise<void> {
    const { messages_per_minute: limit } = this.settings.of(environment).rate_limits;
    const decision = await this.limiter.hit(`send:${keyId}`, [{ limit, seconds: 60 }]);
    if (decision.allowed) return;
    throw new ApiError(
      'RATE_LIMIT_EXCEEDED',
      { limit, window_seconds: 60, retry_after_seconds: decision.retryAfterSeconds ?? 1 },
      `More than ${limit} messages in a minute (settings: rate_limits.messages_per_minute).`,
    );
  }

  private async resolveOptions(
    exchange: { environment: Environment; platform: Platform; participantId: string },
    { options = new SendOptionsDto() }: SendMessageDto,
  ): Promise<OutboundOptions> {
    const { parse_mode, disable_notification, link_preview, reply_to } = options;
    if (reply_to === undefined) return { parse_mode, disable_notification, link_preview };
    const id = fromPublicId('message', reply_to);
    if (id === undefined || !(await this.reader.isExchangedWith(exchange, id))) {
      throw ApiError.invalidParameter('options.reply_to', 'must be the id of a message of this conversation', reply_to);
    }
    return { parse_mode, disable_notification, link_preview, reply_to: id };
  }
}

function toSendResult({ id, platform, recipient }: OutboundMessage, progress: SendProgress): SendResultDto {
  return {
    message_id: toPublicId('message', id),
    platform,
    recipient,
    status: progress.status,
    sent_at: progress.status === 'sent' ? progress.sentAt.toISOString() : null,
    ...(progress.status === 'failed' && { error: progress.failure }),
  };
}
