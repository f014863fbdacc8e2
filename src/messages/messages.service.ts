import { Injectable } from '@nestjs/common';
import { fromPublicId, toPublicId, type AccountKey, type Environment, type SendFailure } from '#contracts';
import { ApiError } from '../core/http/lifecycle/api-error';
import type { Statement } from '../core/database/database.service';
import type { Caller, CountedMessage } from '../core/http/lifecycle/request-context';
import { Clock } from '../core/clock/clock.service';
import { Work } from '../core/work/work.service';
import { Integrations } from '../integrations/integrations.service';
import { Adapters } from '../integrations/platforms/adapters.service';
import { SendAttachments } from '../media/send-attachments.service';
import { Templates } from '../integrations/templates/templates.service';
import { BillableLimit } from '../billing/billable-limit.service';
import { SendService } from './send/send.service';
import { SendOptionsDto, type SendMessageDto } from './dto/send-message.dto';
import type { CancelledMessageDto, MessageDto, SendResultDto } from './dto/message.dto';
import type { InteractiveDto } from './dto/interactive.dto';
import { assertInteractive } from './interactive-faults';
import { MessageReader } from './list/message-reader.service';
import type { OutboundDraft, OutboundMessage, OutboundOptions, SendProgress } from './send/outbound-message';
import { OutboundStore } from './send/outbound-store.service';
import { isName } from '../conversations/aliases/participant-aliases.service';
import { ReplyWindows } from './send/reply-windows.service';
import { SendingAccounts } from './sending-accounts.service';
import { scheduledResult } from './send/schedule-result';
import { ScheduledSends } from './send/scheduled-sends.service';
import { PENDING_SENDS } from './send/send-recovery.service';

/** How far ahead a send may be scheduled, in milliseconds. */
const FURTHEST_MS = 30 * 86_400_000;

@Injectable()
export class MessagesService {
  constructor(
    private readonly integrations: Integrations,
    private readonly adapters: Adapters,
    private readonly store: OutboundStore,
    private readonly delivery: SendService,
    private readonly reader: MessageReader,
    private readonly work: Work,
    private readonly scheduled: ScheduledSends,
    private readonly clock: Clock,
    private readonly attachments: SendAttachments,
    private readonly templates: Templates,
    private readonly billable: BillableLimit,
    private readonly windows: ReplyWindows,
    private readonly senders: SendingAccounts,
  ) {}

  /**
   * Sends a message for a client: stores it, sends it to the platform, then answers.
   * @param id UUID of the message; default: a new one
   * @param counted the guard's count against `rate_limits.messages_per_minute`
   */
  async send(
    caller: Caller,
    request: SendMessageDto,
    { id, counted }: { id?: string; counted?: CountedMessage } = {},
  ): Promise<SendResultDto> {
    const { environment, keyId } = caller;
    const { platform, recipient, attachments: named = [] } = request;
    const at = await this.senders.of(environment, request);
    const adapter = this.adapters.of(at);
    const fault = adapter.recipientFault(recipient);
    if (fault !== undefined) throw ApiError.invalidParameter('recipient', fault, recipient);
    const participantId = adapter.participantId(recipient);
    const options = await this.resolveOptions({ ...at, participantId }, request);
    const { content, ...composed } = await this.compose(at, request);
    const sendAt = request.send_at === undefined ? undefined : this.sendTime(request.send_at);
    if (sendAt && request.options?.take_over) {
      throw ApiError.invalidParameter('options.take_over', 'must not be true for a message with send_at', true);
    }
    if (sendAt) this.integrations.assertConfigured(at, recipient);
    else await this.integrations.assertConnected(at, recipient);
    const closed = async () => (sendAt ? undefined : this.windows.closedFor(at, participantId));
    const files =
      named.length > 0 ? await this.attachments.resolve(caller, named, closed) : { attachments: [], fetched: [] };
    const draft: OutboundDraft = {
      id,
      ...at,
      recipient: participantId,
      content,
      attachments: 'failure' in files ? [] : files.attachments,
      options: { ...options, ...composed, ...(isName(recipient) && { named: recipient }) },
      sentBy: 'api',
      apiKeyId: keyId,
      sendAt,
    };
    counted?.take();
    const isTakingOver = request.options?.take_over ?? false;
    if ('failure' in files) return this.failWithout(draft, recipient, { failure: files.failure, isTakingOver });
    const message = await this.accept(draft, isTakingOver).catch(async (error: unknown) => {
      // A refused request is not counted. After another error it is: the message may be stored.
      if (error instanceof ApiError) counted?.release();
      await this.attachments.discard(files.fetched);
      throw error;
    });
    if (sendAt) return scheduledResult({ id: message.id, platform, recipient }, sendAt);
    // The platform and the answer get the recipient in the client's own form.
    const asNamed = { ...message, recipient };
    const { promise: waiting, reject } = Promise.withResolvers<never>();
    const delivered = this.delivery.deliver(asNamed, { waits: reject });
    delivered.catch(() => undefined); // once `waiting` has rejected, nothing else handles this
    const progress = await Promise.race([delivered, waiting]);
    return toSendResult(asNamed, progress);
  }

  private async accept(draft: OutboundDraft, isTakingOver: boolean): Promise<OutboundMessage> {
    await this.setReservation(draft);
    return isTakingOver ? this.store.acceptTakingOver(draft) : this.store.accept(draft);
  }

  /** If billing is limited: counts the messages to be billed. The transaction that stores the draft reserves them. */
  async setReservation(draft: OutboundDraft): Promise<void> {
    const { environment, platform, options, sendAt } = draft;
    if (!this.billable.isLimited(environment, platform)) return;
    const messages = await this.delivery.countParts(draft);
    if (messages > 0) draft.options = { ...options, reserved: this.billable.reservation(messages, sendAt) };
  }

  /** A file of the message is not fetched: the message fails at once, also one with `send_at`. */
  private async failWithout(
    draft: OutboundDraft,
    recipient: string,
    { failure, isTakingOver }: { failure: SendFailure; isTakingOver: boolean },
  ): Promise<SendResultDto> {
    const failed = { ...draft, sendAt: undefined };
    const message = await (isTakingOver ? this.store.acceptTakingOver(failed) : this.store.accept(failed));
    const told = failure.code === 'window_closed' ? await this.windows.withTemplates(message, failure) : failure;
    return toSendResult({ ...message, recipient }, await this.delivery.fail(message, told));
  }

  /** Cancels a scheduled message; a second call changes nothing. @throws ApiError for a message with another status */
  async cancel(environment: Environment, id: string): Promise<CancelledMessageDto> {
    const isCancelled = await this.scheduled.cancel(environment, id);
    const { status } = isCancelled ? { status: 'cancelled' as const } : await this.read(environment, id);
    if (status !== 'cancelled')
      throw ApiError.malformed(`only a scheduled message can be cancelled; this one is ${status}`);
    return { id: toPublicId('message', id), status };
  }

  async read(environment: Environment, id: string): Promise<MessageDto> {
    const message = await this.reader.find(environment, id);
    if (!message) throw ApiError.notFound('message', toPublicId('message', id));
    return message;
  }

  /**
   * Stores an answer of the assistant, in the statement that records which messages it answers; see `acceptStatement`.
   * @throws RateLimitError when the limit of billable messages of the day is reached
   */
  async acceptAnswer(
    draft: OutboundDraft,
    prepared: Statement,
    values: readonly unknown[],
  ): Promise<OutboundMessage | undefined> {
    await this.setReservation(draft);
    return this.store.acceptWith(draft, prepared, values);
  }

  /** Sends a committed answer; if its platform is unavailable, the answer waits until it has recovered. */
  async deliverAnswer(message: OutboundMessage, signal?: AbortSignal): Promise<SendProgress> {
    if (this.integrations.isConnected(message)) return this.delivery.deliver(message, { signal });
    await this.store.postpone(message, 0, null);
    this.work.wake(PENDING_SENDS, message.environment, message.id);
    return { status: 'pending' };
  }

  /** The content of the message: a text, with or without options, or a template. */
  private async compose(
    at: AccountKey,
    request: SendMessageDto,
  ): Promise<{ content: string } & Pick<OutboundOptions, 'interactive' | 'template' | 'marketing'>> {
    const { platform, message = '', attachments = [], interactive, template } = request;
    if (interactive && attachments.length > 0)
      throw ApiError.invalidParameter('interactive', 'must be omitted if there are attachments');
    if (!template) {
      if (message === '' && (interactive || attachments.length === 0))
        throw new ApiError('MISSING_PARAMETER', { parameter: 'message' });
      return { content: message, ...(interactive && (await this.offer(at, request, interactive))) };
    }
    if (interactive) throw ApiError.invalidParameter('interactive', 'must be omitted if there is a template');
    if (attachments.length > 0)
      throw ApiError.invalidParameter('attachments', 'must be omitted if there is a template');
    if (message !== '') throw ApiError.invalidParameter('message', 'must be omitted if there is a template');
    if (platform !== 'whatsapp') throw ApiError.invalidParameter('template', 'is for WhatsApp only');
    const { content, message: filled, isMarketing } = await this.templates.fill(at, template);
    return { content, template: filled, ...(isMarketing && { marketing: true as const }) };
  }

  private async offer(
    at: AccountKey,
    { recipient, message, options = new SendOptionsDto() }: SendMessageDto,
    interactive: InteractiveDto,
  ): Promise<Pick<OutboundOptions, 'interactive'>> {
    assertInteractive(interactive, message!);
    const { parse_mode: parseMode, disable_notification: disableNotification, link_preview: linkPreview } = options;
    const sendOptions = { parseMode, disableNotification, linkPreview };
    const content = { recipient, text: message!, interactive, options: sendOptions };
    const plan = await this.adapters.of(at).plan(content);
    if ('refusal' in plan) throw ApiError.invalidParameter('interactive', `cannot be sent: ${plan.refusal}`);
    return { interactive: { ...interactive, ...(plan.isNumbered && { numbered: true }) } };
  }

  private sendTime(text: string): Date {
    const sendAt = new Date(text);
    const aheadMs = sendAt.getTime() - this.clock.now();
    if (aheadMs < 0) throw ApiError.invalidParameter('send_at', 'must not be in the past', text);
    if (aheadMs > FURTHEST_MS) throw ApiError.invalidParameter('send_at', 'must be at most 30 days ahead', text);
    return sendAt;
  }

  private async resolveOptions(
    exchange: AccountKey & { participantId: string },
    { options = new SendOptionsDto(), sandbox_billed }: SendMessageDto,
  ): Promise<OutboundOptions> {
    if (sandbox_billed && exchange.environment === 'live')
      throw ApiError.invalidParameter('sandbox_billed', 'needs a test key', true);
    const { parse_mode, disable_notification, link_preview, reply_to } = options;
    const stored = {
      parse_mode,
      link_preview,
      ...(disable_notification && { disable_notification }),
      ...(sandbox_billed && { sandbox_billed }),
    };
    if (reply_to === undefined) return stored;
    const id = fromPublicId('message', reply_to);
    if (id === undefined || !(await this.reader.isExchangedWith(exchange, id))) {
      throw ApiError.invalidParameter('options.reply_to', 'must be the id of a message of this conversation', reply_to);
    }
    return { ...stored, reply_to: id };
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
