import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { sendFailure, toPublicId, type SendFailure, type SendFailureCode } from '#contracts';
import { Clock } from '../../core/clock/clock.service';
import { PERSIST_TIMEOUT_MS, retryUntilPersisted } from '../../core/database/retry-until-persisted';
import type { DomainEvent } from '../../core/events/domain-event';
import { DomainEvents } from '../../core/events/domain-events.service';
import { Metrics } from '../../core/observability/metrics.service';
import { Tracer } from '../../core/observability/tracing/tracer';
import { Lease } from '../../core/work/lease';
import { ConversationDirectory } from '../../conversations/conversation-directory.service';
import { Adapters, type PartOutcome } from '../../integrations/platforms/adapters.service';
import { filesToSend } from '../../media/outbound-files';
import { MediaStore } from '../../media/storage/media-store.service';
import { SendBilling } from '../billing/send-billing.service';
import { DeliveryConfirmer } from '../receipts/delivery-confirmer.service';
import { Receipts } from '../receipts/receipts.service';
import { deliveredEvent, failedEvent, sentEvent } from './outbound-events';
import type { OutboundDraft, OutboundMessage, PartRecord, SendProgress } from './outbound-message';
import { ReplyWindows } from './reply-windows.service';
import { OutboundStore } from './outbound-store.service';
import { SEND_LEASE_SECONDS, type Outcome } from './outbound.rows';
import { withRepeat, type Repeat } from './repeats';
import { SendLease } from './send-lease';
import { sendOptions, sendRequest } from './send-request';

/** How long the pauses and repeated calls of one send may take within the call, all parts together, in milliseconds. */
const TIMEOUT_MS = 10_000;
/** The pause before an answer is sent again after its platform could not be reached, in milliseconds. */
const UNREACHED_ANSWER_MS = 2_000;

export interface SendingOptions {
  /** Indexes of the parts that the platform already has. */
  done?: ReadonlySet<number>;
  /** Aborts a wait for the platform's pause, or for the database; the lease is then released. */
  signal?: AbortSignal;
  /**
   * Called when the platform has answered, but the database has been unavailable for some seconds: the outcome is
   * recorded when the database has recovered.
   */
  waits?: (reason: Error) => void;
}

/** With the lease of a message that leaves the gateway. */
type LeasedOptions = SendingOptions & { lease?: SendLease };

interface Sending {
  /** Parts on their way to the platform now; earlier ones are recorded. */
  parts: PartRecord[];
  isMultipart: boolean;
  failure?: SendFailure;
  waitMs?: number;
  /** Another process has taken the message over: it sends and records the remaining parts. */
  lost?: boolean;
  confirmAfterMs?: number;
  recipient: string;
  /** Attempts of the message so far after which it was tried again. */
  repeats: readonly Repeat[];
  record: Recorder;
}

/** Records what the platform did. */
type Recorder = <T>(record: () => Promise<T>) => Promise<T>;

/** Sends a stored outbound message to its platform and records the outcome. */
@Injectable()
export class SendService {
  constructor(
    private readonly adapters: Adapters,
    private readonly directory: ConversationDirectory,
    private readonly store: OutboundStore,
    private readonly events: DomainEvents,
    private readonly clock: Clock,
    private readonly receipts: Receipts,
    private readonly confirmer: DeliveryConfirmer,
    private readonly metrics: Metrics,
    private readonly tracer: Tracer,
    private readonly media: MediaStore,
    private readonly windows: ReplyWindows,
    private readonly billing: SendBilling,
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
    const lease = new SendLease(mark, firstLease(message));
    const isHeld = lease.isCurrent || (await lease.renew());
    const progress: SendProgress = isHeld ? await this.deliverHeld(message, options, lease) : { status: 'pending' };
    return isTakenOver ? this.fail(message, sendFailure('taken_over')) : progress;
  }

  private async deliverHeld(
    message: OutboundMessage,
    options: SendingOptions,
    lease: SendLease,
  ): Promise<SendProgress> {
    const heartbeat = new Lease(SEND_LEASE_SECONDS, () => lease.renew(() => this.store.extend(message)));
    try {
      const { signal } = options;
      const either = signal ? AbortSignal.any([signal, lease.signal]) : lease.signal;
      return await this.sendAndRecord(message, { ...options, signal: either, lease });
    } finally {
      heartbeat.end();
    }
  }

  /** Records that a message failed; sends nothing. */
  fail(message: OutboundMessage, failure: SendFailure): Promise<SendProgress> {
    return this.recordFailure(message, { ...startOf(message), record: retryUntilPersisted }, failure, 0);
  }

  private async sendAndRecord(message: OutboundMessage, options: LeasedOptions): Promise<SendProgress> {
    const startedAt = performance.now();
    const sending = await this.sendParts(message, options);
    const callMs = performance.now() - startedAt;
    const latencyMs = Math.round(callMs);
    // An outage never drops an answer; a request that was certainly not written may be sent again.
    if (sending.failure?.code === 'platform_unavailable' && message.sentBy === 'assistant') {
      sending.waitMs = UNREACHED_ANSWER_MS;
      this.noteRepeat(sending, sending.parts.at(-1)!.index, 'platform_unavailable', UNREACHED_ANSWER_MS);
    }
    if (sending.lost) return { status: 'pending' };
    const outcome = sending.waitMs !== undefined ? 'postponed' : sending.failure ? 'failed' : 'accepted';
    this.metrics.messageSent(message.platform, message.environment, outcome, callMs);
    if (sending.waitMs !== undefined) {
      await this.store.postpone(message, sending.waitMs, newRepeats(message, sending) ?? undefined);
      return { status: 'pending' };
    }
    if (sending.failure?.code === 'window_closed')
      sending.failure = await this.windows.withTemplates(message, sending.failure);
    return sending.failure
      ? this.recordFailure(message, sending, sending.failure, latencyMs)
      : this.recordAcceptance(message, sending, latencyMs);
  }

  private async sendParts(message: OutboundMessage, { done, signal, waits, lease }: LeasedOptions): Promise<Sending> {
    const patientUntil = performance.now() + TIMEOUT_MS;
    const adapter = this.adapters.of(message.environment, message.platform);
    const plan = await this.planOf(message);
    const parts = 'refusal' in plan ? [] : plan.parts;
    const sending: Sending = {
      ...startOf(message),
      isMultipart: parts.length > 1,
      record: recorder(signal, waits),
    };
    if ('refusal' in plan) {
      sending.failure = { ...sendFailure('content_rejected'), message: `${plan.refusal}.` };
      return sending;
    }
    const replyTo = await this.store.platformIdOf(message.options.reply_to);
    for (const part of parts) {
      if (done?.has(part.index)) continue;
      const send = async () => {
        const request = sendRequest(message, sending.recipient, replyTo);
        if (!lease) return adapter.sendPart(request, part);
        for (;;) {
          if (!(await sending.record(() => lease.mayWrite()))) return undefined;
          const outcome = await adapter.sendPart({ ...request, mayWrite: () => lease.isCurrent }, part);
          // Nothing was written, perhaps because the process was stopped since it asked: it asks again.
          const isUnwritten = !outcome.accepted && outcome.failure.code === 'platform_unavailable';
          if (!isUnwritten || lease.isCurrent) return outcome;
        }
      };
      const onPause = (code: SendFailureCode, waitMs: number) => {
        this.noteRepeat(sending, part.index, code, waitMs);
        // A person may take the conversation over meanwhile.
        lease?.expire();
      };
      const outcome = await this.sendWithPauses(send, patientUntil, onPause, signal);
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
      if (outcome.asPlainText) this.noteRepeat(sending, part.index, 'markup_rejected', 0);
      sending.confirmAfterMs = outcome.confirmAfterMs ?? sending.confirmAfterMs;
      const sent: PartRecord = { index: part.index, status: 'sent', platformMessageId: outcome.platformMessageId };
      sending.parts.push(sent);
      if (sending.isMultipart && !(await sending.record(() => this.store.recordPart(message, sent)))) {
        sending.lost = true;
        return sending;
      }
      if (outcome.migratedTo) {
        await this.followMigration(message, sending, outcome.migratedTo);
        sending.recipient = outcome.migratedTo;
      }
    }
    return sending;
  }

  /** How many messages the platform makes of it, and bills. */
  async countParts(message: PlannedMessage): Promise<number> {
    const plan = await this.planOf(message);
    return 'refusal' in plan ? 0 : plan.parts.length;
  }

  /** The parts of the message. What the platform cannot take is refused before anything is sent. */
  private async planOf({
    environment,
    platform,
    recipient,
    address,
    content,
    options,
    attachments = [],
  }: PlannedMessage) {
    const adapter = this.adapters.of(environment, platform);
    const rendering = sendOptions(options);
    const { interactive } = options;
    if (attachments.length === 0 && !interactive) return { parts: adapter.split(content, rendering) };
    const files = attachments.length > 0 ? filesToSend(this.media, environment, attachments) : undefined;
    const shown = { recipient, address: address ?? undefined, text: content, options: rendering };
    return adapter.plan({ ...shown, ...(files && { files }), ...(interactive && { interactive }) });
  }

  /** The part has arrived. If the new id cannot be recorded now, the platform reports it again at the next send. */
  private async followMigration(
    { environment, platform }: OutboundMessage,
    { recipient, record }: Sending,
    to: string,
  ): Promise<void> {
    await record(() => this.directory.migrate(environment, platform, recipient, to)).catch(() => undefined);
  }

  /**
   * Waits a platform's pauses out; the caller schedules one that ends after `deadline` (by `performance.now()`). A count
   * of pauses would not do: each refusal takes time as well, and a pause may be very short.
   */
  private async sendWithPauses(
    send: () => Promise<PartOutcome | undefined>,
    deadline: number,
    onPause: (code: SendFailureCode, waitMs: number) => void,
    signal?: AbortSignal,
  ): Promise<PartOutcome | undefined> {
    for (;;) {
      const outcome = await send();
      if (!outcome || outcome.accepted || outcome.retryAfterMs === undefined) return outcome;
      onPause(outcome.failure.code, outcome.retryAfterMs);
      if (performance.now() + outcome.retryAfterMs > deadline || signal?.aborted) return outcome;
      await sleep(outcome.retryAfterMs, undefined, { signal }).catch(() => undefined);
      // Aborted, perhaps because another process has the message now: the lease is released and nothing is sent.
      if (signal?.aborted) return outcome;
    }
  }

  private noteRepeat(sending: Sending, part: number, code: Repeat['code'], waitMs: number): void {
    const at = this.clock.date().toISOString();
    sending.repeats = withRepeat(sending.repeats, { part, code, at, wait_ms: Math.round(waitMs) });
  }

  private async recordAcceptance(message: OutboundMessage, sending: Sending, latencyMs: number): Promise<SendProgress> {
    const { capabilities } = this.adapters.of(message.environment, message.platform);
    const now = this.clock.date();
    const isSimulated = this.billing.isSimulated(message);
    const confirmAfterMs = sending.confirmAfterMs ?? capabilities.confirmAfterMs;
    const deliveredNow = capabilities.confirmation === 'platform' && confirmAfterMs === 0;
    const events: DomainEvent[] = [this.events.create('message.sent', sentEvent(message, latencyMs))];
    if (deliveredNow) events.push(this.events.create('message.delivered', deliveredEvent(message, now, 'platform')));
    const outcome: Outcome = {
      status: deliveredNow ? 'delivered' : 'sent',
      sentAt: now,
      deliveredAt: deliveredNow ? now : null,
      failure: null,
      latencyMs,
      platformMessageId: sending.isMultipart ? null : (sending.parts[0]?.platformMessageId ?? null),
      // Receipts and taps name the platform's id of a part.
      parts:
        sending.isMultipart || capabilities.confirmation === 'device' || message.options.interactive || isSimulated
          ? sending.parts
          : [],
      confirmAfterMs: capabilities.confirmation === 'platform' && !deliveredNow ? confirmAfterMs : null,
      repeats: newRepeats(message, sending),
      events,
    };
    const recorded = await sending.record(() => this.store.finish(message, outcome));
    if (recorded && outcome.confirmAfterMs !== null) this.confirmer.confirmLater(message, outcome.confirmAfterMs);
    if (recorded && isSimulated) this.billing.simulate(message, sending.parts);
    // The client need not wait for it; what fails is found by the periodic search.
    if (capabilities.confirmation === 'device') void this.receipts.settleEarly(message.id).catch(() => undefined);
    return { status: 'sent', sentAt: now, isKept: recorded };
  }

  private async recordFailure(
    message: OutboundMessage,
    sending: Sending,
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
      repeats: newRepeats(message, sending),
      events: [this.events.create('message.failed', failedEvent(message, failure, this.clock.date()))],
    };
    const isRecorded = await sending.record(() => this.store.finish(message, outcome));
    // A receipt of another part may change what the message says.
    return { status: 'failed', failure, isKept: isRecorded && !sending.isMultipart };
  }
}

/** The plan of a message depends on these fields. */
type PlannedMessage = Pick<
  OutboundDraft,
  'environment' | 'platform' | 'recipient' | 'content' | 'options' | 'attachments'
> & {
  address?: string | null;
};

function startOf({ recipient, repeats }: OutboundMessage): Omit<Sending, 'record'> {
  return { parts: [], isMultipart: false, recipient, repeats };
}

/** All attempts that were repeated, if some came since they were stored. */
function newRepeats(message: OutboundMessage, { repeats }: Sending): readonly Repeat[] | null {
  return repeats === message.repeats ? null : repeats;
}

/** A send cannot be undone: its outcome is recorded as soon as the database answers. */
function recorder(signal?: AbortSignal, waits?: (reason: Error) => void): Recorder {
  return async (record) => {
    const timer = setTimeout(
      () => waits?.(new Error('The outcome of a send waits for the database')),
      PERSIST_TIMEOUT_MS,
    ).unref();
    try {
      return await retryUntilPersisted(record, signal);
    } finally {
      clearTimeout(timer);
    }
  };
}

/**
 * The lease that the message was stored with is enough, if it lasts until the second heartbeat. A client's message has its
 * write mark then. An answer needs none: after a crash it is sent again, whether its write had begun or not.
 * @returns when this process asked for that lease
 */
function firstLease({ leasedAt }: OutboundMessage): number | undefined {
  return leasedAt !== undefined && performance.now() - leasedAt < (SEND_LEASE_SECONDS * 1_000) / 3
    ? leasedAt
    : undefined;
}
