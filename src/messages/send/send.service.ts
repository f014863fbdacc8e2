import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { chatOfTopic, sendFailure, toPublicId, type SendFailure } from '#contracts';
import { Clock } from '../../core/clock/clock.service';
import { PERSIST_TIMEOUT_MS, retryUntilPersisted } from '../../core/database/retry-until-persisted';
import type { DomainEvent } from '../../core/events/domain-event';
import { DomainEvents } from '../../core/events/domain-events.service';
import { Metrics } from '../../core/observability/metrics.service';
import { Tracer } from '../../core/observability/tracing/tracer';
import { Lease } from '../../core/work/lease';
import { MarketingPreferences } from '../../conversations/marketing/marketing-preferences.service';
import { Accounts } from '../../accounts/accounts.service';
import { isName, ParticipantAliases } from '../../conversations/aliases/participant-aliases.service';
import {
  Adapters,
  type OutboundPart,
  type PartOutcome,
  type SendRequest,
} from '../../integrations/platforms/adapters.service';
import { filesToSend } from '../../media/outbound-files';
import { MediaStore } from '../../media/storage/media-store.service';
import { SandboxBilling } from './sandbox-billing.service';
import { DeliveryConfirmer } from '../receipts/delivery-confirmer.service';
import { Receipts } from '../receipts/receipts.service';
import { deliveredEvent, failedEvent, sentEvent } from './outbound-events';
import type { OutboundDraft, OutboundMessage, OutboundOptions, PartRecord, SendProgress } from './outbound-message';
import { ReplyWindows } from './reply-windows.service';
import { OutboundStore } from './outbound-store.service';
import { SEND_LEASE_SECONDS, type Outcome } from './outbound.rows';
import { withRepeat, type Repeat } from './repeats';
import { SendLease } from './send-lease';

/** How long a run of a send may wait for the ends of pauses, all parts together, in milliseconds. A longer wait would keep a worker from other sends. */
const PAUSES_MS = 2_000;
/** Retry delay of an answer whose platform could not be reached, in milliseconds. */
const UNREACHED_ANSWER_MS = 2_000;

export interface SendingOptions {
  /** Indexes of the parts that the platform already has. */
  done?: ReadonlySet<number>;
  /** Aborts a pause before a retry, or a wait for the database; the lease is then released. */
  signal?: AbortSignal;
  /**
   * Called when the platform has answered, but the database has been unavailable for some seconds: the outcome is
   * recorded when the database has recovered.
   */
  waits?: (reason: Error) => void;
}

/** `lease`: of a message that leaves the gateway; the sandbox has none. */
type LeasedOptions = SendingOptions & { lease?: SendLease };

interface Sending {
  /** Parts that this run has sent; those of earlier runs are recorded. */
  parts: PartRecord[];
  isMultipart: boolean;
  failure?: SendFailure;
  waitMs?: number;
  /** Another process has taken the message over: it sends and records the remaining parts. */
  lost?: boolean;
  confirmAfterMs?: number;
  recipient: string;
  /** All attempts that were retried; null: no new ones since they were stored. */
  repeats: readonly Repeat[] | null;
  record: Recorder;
}

/** Runs a function that records what the platform did, and retries it while the database is unavailable. */
type Recorder = <T>(record: () => Promise<T>) => Promise<T>;

/** Sends a stored outbound message to its platform and records the outcome. */
@Injectable()
export class SendService {
  constructor(
    private readonly adapters: Adapters,
    private readonly aliases: ParticipantAliases,
    private readonly store: OutboundStore,
    private readonly events: DomainEvents,
    private readonly clock: Clock,
    private readonly receipts: Receipts,
    private readonly confirmer: DeliveryConfirmer,
    private readonly metrics: Metrics,
    private readonly tracer: Tracer,
    private readonly media: MediaStore,
    private readonly windows: ReplyWindows,
    private readonly billing: SandboxBilling,
    private readonly marketing: MarketingPreferences,
    private readonly accounts: Accounts,
  ) {}

  deliver(message: OutboundMessage, options: SendingOptions = {}): Promise<SendProgress> {
    const { id, conversationId, platform, environment, traceparent } = message;
    const span = {
      kind: 'client',
      parent: traceparent,
      attributes: { 'messaging.system': platform, environment },
      ids: { message_id: toPublicId('message', id), conversation_id: toPublicId('conversation', conversationId) },
    } as const;
    return this.tracer.run(`send ${platform}`, span, async (sending) => {
      const progress = await this.deliverLeased(message, options);
      sending.set({ 'gateway.send.status': progress.status });
      return progress;
    });
  }

  private async deliverLeased(message: OutboundMessage, options: SendingOptions): Promise<SendProgress> {
    // The sandbox sends nothing, so it needs no write mark and no heartbeat.
    if (message.environment === 'test') return this.sendAndRecord(message, options);
    const closed = await this.windows.fault(message);
    if (closed) return this.fail(message, closed);
    let isTakenOver = false;
    const mark = async () => {
      const answer = await this.store.markWriteStarted(message);
      isTakenOver = answer === 'taken over';
      return answer === 'held';
    };
    // The lease from storing the message is enough if it lasts until the second heartbeat. A client's message has its
    // write mark already. An answer needs none: after a crash it is sent again, whether its write had begun or not.
    const { leasedAt = -Infinity } = message;
    const isRecent = performance.now() - leasedAt < (SEND_LEASE_SECONDS * 1_000) / 3;
    const lease = new SendLease(mark, isRecent ? leasedAt : undefined);
    let progress: SendProgress = { status: 'pending' };
    if (lease.isCurrent || (await lease.renew())) {
      const heartbeat = new Lease(SEND_LEASE_SECONDS, () => lease.renew(() => this.store.extend(message)));
      const signal = options.signal ? AbortSignal.any([options.signal, lease.signal]) : lease.signal;
      progress = await this.sendAndRecord(message, { ...options, signal, lease }).finally(() => heartbeat.end());
    }
    return isTakenOver ? this.fail(message, sendFailure('taken_over')) : progress;
  }

  /** Records that a message failed; sends nothing. */
  fail(message: OutboundMessage, failure: SendFailure): Promise<SendProgress> {
    const sending = { parts: [], isMultipart: false, repeats: null, record: retryUntilPersisted };
    return this.recordFailure(message, sending, failure, 0);
  }

  private async sendAndRecord(message: OutboundMessage, options: LeasedOptions): Promise<SendProgress> {
    const startedAt = performance.now();
    const sending = await this.sendParts(message, options);
    const callMs = performance.now() - startedAt;
    const latencyMs = Math.round(callMs);
    // An outage never drops an answer: its request was certainly not written, so it may be sent again.
    if (sending.failure?.code === 'platform_unavailable' && message.sentBy === 'assistant') {
      sending.waitMs = UNREACHED_ANSWER_MS;
      this.noteRepeat(message, sending, sending.parts.at(-1)!.index, 'platform_unavailable', UNREACHED_ANSWER_MS);
    }
    if (sending.lost) return { status: 'pending' };
    const outcome = sending.waitMs !== undefined ? 'postponed' : sending.failure ? 'failed' : 'accepted';
    this.metrics.messageSent(message.platform, message.environment, outcome, callMs);
    if (sending.waitMs !== undefined) {
      await this.store.postpone(message, sending.waitMs, sending.repeats);
      return { status: 'pending' };
    }
    if (sending.failure?.code === 'opted_out') await this.marketing.refused([message.conversationId]);
    if (sending.failure?.code === 'window_closed')
      sending.failure = await this.windows.withTemplates(message, sending.failure);
    return sending.failure
      ? this.recordFailure(message, sending, sending.failure, latencyMs)
      : this.recordAcceptance(message, sending, latencyMs);
  }

  private async sendParts(message: OutboundMessage, options: LeasedOptions): Promise<Sending> {
    const waitUntil = performance.now() + PAUSES_MS;
    const plan = await this.planOf(message);
    const parts = 'refusal' in plan ? [] : plan.parts;
    const sending: Sending = {
      parts: [],
      isMultipart: parts.length > 1,
      recipient: message.recipient,
      repeats: null,
      record: recorder(options),
    };
    if ('refusal' in plan) {
      sending.failure = { ...sendFailure('content_rejected'), message: `${plan.refusal}.` };
      return sending;
    }
    const { reply_to } = message.options;
    const replyTo = reply_to === undefined ? undefined : await this.store.platformIdOf(reply_to);
    for (const part of parts) {
      if (options.done?.has(part.index)) continue;
      const outcome = await this.sendPart(message, { ...options, waitUntil, replyTo }, sending, part);
      if (!outcome) {
        sending.lost = true;
        return sending;
      }
      if (!outcome.accepted) {
        if (outcome.retryAfterMs !== undefined) sending.waitMs = outcome.retryAfterMs;
        else {
          sending.failure = outcome.failure;
          sending.parts.push({ index: part.index, status: 'failed', platformMessageId: null });
        }
        return sending;
      }
      if (outcome.asPlainText) this.noteRepeat(message, sending, part.index, 'markup_rejected', 0);
      sending.confirmAfterMs = outcome.confirmAfterMs ?? sending.confirmAfterMs;
      // Before the outcome: a process that dies in between leaves no message whose person has an unknown id.
      if (outcome.participantId !== undefined && outcome.participantId !== sending.recipient)
        await this.followRecipient(message, sending, outcome.participantId, outcome.address);
      const sent: PartRecord = { index: part.index, status: 'sent', platformMessageId: outcome.platformMessageId };
      sending.parts.push(sent);
      if (sending.isMultipart && !(await sending.record(() => this.store.recordPart(message, sent)))) {
        sending.lost = true;
        return sending;
      }
    }
    return sending;
  }

  /** How many messages the platform makes of the message, and bills. */
  async countParts(message: PlannedMessage): Promise<number> {
    const plan = await this.planOf(message);
    return 'refusal' in plan ? 0 : plan.parts.length;
  }

  /** The parts of the message. Content that the platform cannot take is refused before anything is sent. */
  private async planOf({
    environment,
    platform,
    account,
    recipient,
    address,
    content,
    options,
    attachments = [],
  }: PlannedMessage) {
    const adapter = this.adapters.of({ environment, platform, account });
    const rendering = renderingOf(options);
    const { interactive } = options;
    if (attachments.length === 0 && !interactive) return { parts: adapter.split(content, rendering) };
    const files = attachments.length > 0 ? filesToSend(this.media, environment, attachments) : undefined;
    const shown = { recipient, address: address ?? undefined, text: content, options: rendering };
    return adapter.plan({ ...shown, ...(files && { files }), ...(interactive && { interactive }) });
  }

  /**
   * Records the id by which the platform knows the recipient. The part has arrived: if this fails, the platform reports the id
   * again at the next send.
   */
  private async followRecipient(
    { environment, platform, account, conversationId }: OutboundMessage,
    sending: Sending,
    to: string,
    address?: string,
  ): Promise<void> {
    const at = { environment, platform, account };
    const from = this.adapters.of(at).participantId(sending.recipient);
    if (to === from) return;
    const follow = () => this.aliases.follow({ ...at, from, to, address }, conversationId);
    await sending.record(follow).catch(() => undefined);
    if (!isName(from)) sending.recipient = to;
  }

  /**
   * Sends one part, and waits for the end of the platform's pauses. The caller postpones a pause that ends after `waitUntil`
   * (by `performance.now()`). A limit on their number would not do: each refusal takes time, and a pause may be very short.
   * @param replyTo the platform's id of the message that is answered
   * @returns undefined when another process has taken the message over
   */
  private async sendPart(
    message: OutboundMessage,
    { lease, signal, waitUntil, replyTo }: LeasedOptions & { waitUntil: number; replyTo: string | undefined },
    sending: Sending,
    part: OutboundPart,
  ): Promise<PartOutcome | undefined> {
    const { id, environment, address, options } = message;
    const request: SendRequest = {
      messageId: toPublicId('message', id),
      environment,
      recipient: sending.recipient,
      address: address ?? undefined,
      options: { ...renderingOf(options), replyTo },
      ...(lease && { mayWrite: () => lease.isCurrent }),
    };
    for (;;) {
      if (lease && !(await sending.record(() => lease.mayWrite()))) return undefined;
      const outcome = await this.adapters.of(message).sendPart(request, part);
      // Nothing was written, perhaps because the process was stopped and its lease is no longer current: it asks again.
      const isUnwritten = !outcome.accepted && outcome.failure.code === 'platform_unavailable';
      if (isUnwritten && lease && !lease.isCurrent) continue;
      if (outcome.accepted || outcome.retryAfterMs === undefined) return outcome;
      this.noteRepeat(message, sending, part.index, outcome.failure.code, outcome.retryAfterMs);
      // A person may take the conversation over during the pause.
      lease?.expire();
      if (performance.now() + outcome.retryAfterMs > waitUntil || signal?.aborted) return outcome;
      await sleep(outcome.retryAfterMs, undefined, { signal }).catch(() => undefined);
      // Aborted, perhaps because another process has the message now: the lease is released and nothing is sent.
      if (signal?.aborted) return outcome;
    }
  }

  private noteRepeat(
    { repeats }: OutboundMessage,
    sending: Sending,
    part: number,
    code: Repeat['code'],
    waitMs: number,
  ): void {
    const at = this.clock.date().toISOString();
    sending.repeats = withRepeat(sending.repeats ?? repeats, { part, code, at, wait_ms: Math.round(waitMs) });
  }

  private async recordAcceptance(message: OutboundMessage, sending: Sending, latencyMs: number): Promise<SendProgress> {
    const { capabilities } = this.adapters.of(message);
    const now = this.clock.date();
    const isSimulated = this.billing.isSimulated(message);
    const confirmAfterMs = sending.confirmAfterMs ?? capabilities.confirmAfterMs;
    const deliveredNow = capabilities.confirmation === 'platform' && confirmAfterMs === 0;
    const account = this.accounts.shown(message);
    const events: DomainEvent[] = [this.events.create('message.sent', sentEvent(message, account, latencyMs))];
    if (deliveredNow)
      events.push(this.events.create('message.delivered', deliveredEvent(message, account, now, 'platform')));
    const outcome: Outcome = {
      status: deliveredNow ? 'delivered' : 'sent',
      sentAt: now,
      deliveredAt: deliveredNow ? now : null,
      failure: null,
      latencyMs,
      platformMessageId: sending.isMultipart ? null : (sending.parts[0]?.platformMessageId ?? null),
      parts: this.areNamed(message, sending, isSimulated) ? sending.parts : [],
      confirmAfterMs: capabilities.confirmation === 'platform' && !deliveredNow ? confirmAfterMs : null,
      repeats: sending.repeats,
      events,
    };
    const recorded = await sending.record(() => this.store.finish(message, outcome));
    if (recorded && outcome.confirmAfterMs !== null) this.confirmer.confirmLater(message, outcome.confirmAfterMs);
    if (recorded && isSimulated) this.billing.simulate(message, sending.parts);
    // The client does not wait for it. If it fails, the periodic search finds the receipts.
    if (capabilities.confirmation === 'device') void this.receipts.applyEarly(message.id).catch(() => undefined);
    return { status: 'sent', sentAt: now };
  }

  /** Whether receipts and taps name the platform's id of a part, or a reaction to it does not name its topic. */
  private areNamed(message: OutboundMessage, sending: Sending, isSimulated: boolean) {
    const { platform, recipient, options } = message;
    const { confirmation } = this.adapters.of(message).capabilities;
    if (sending.isMultipart || confirmation === 'device' || isSimulated) return true;
    return options.interactive !== undefined || chatOfTopic(platform, recipient) !== undefined;
  }

  private async recordFailure(
    message: OutboundMessage,
    sending: Pick<Sending, 'parts' | 'isMultipart' | 'repeats' | 'record'>,
    failure: SendFailure,
    latencyMs: number,
  ): Promise<SendProgress> {
    const outcome: Outcome = {
      status: 'failed',
      sentAt: null,
      deliveredAt: null,
      failure,
      latencyMs,
      platformMessageId: null,
      parts: sending.isMultipart ? sending.parts : [],
      confirmAfterMs: null,
      repeats: sending.repeats,
      events: [
        this.events.create(
          'message.failed',
          failedEvent(message, this.accounts.shown(message), failure, this.clock.date()),
        ),
      ],
    };
    await sending.record(() => this.store.finish(message, outcome));
    return { status: 'failed', failure };
  }
}

/** The plan of a message depends on these fields. */
type PlannedMessage = Pick<
  OutboundDraft,
  'environment' | 'platform' | 'account' | 'recipient' | 'content' | 'options' | 'attachments'
> & {
  address?: string | null;
};

function renderingOf(options: OutboundOptions): SendRequest['options'] {
  return {
    parseMode: options.parse_mode,
    disableNotification: options.disable_notification ?? false,
    linkPreview: options.link_preview,
    template: options.template,
  };
}

/** A send cannot be undone: its outcome is recorded as soon as the database answers. */
function recorder({ signal, waits }: SendingOptions): Recorder {
  return async (record) => {
    const timer = setTimeout(
      () => waits?.(new Error('The outcome of a send is waiting for the database')),
      PERSIST_TIMEOUT_MS,
    ).unref();
    try {
      return await retryUntilPersisted(record, signal);
    } finally {
      clearTimeout(timer);
    }
  };
}
