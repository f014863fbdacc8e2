import { Logger } from '@nestjs/common';
import { SEND_FAILURES, sendFailure, type Platform } from '#contracts';
import {
  splitText,
  type ConnectionObserver,
  type HealthDirection,
  type InboundSink,
  type OutboundPart,
  type PartOutcome,
  type PartRefused,
  type PlatformAdapter,
  type PlatformCapabilities,
  type RateLimitNotice,
  type SendOptions,
  type SendRequest,
} from '#platforms';
import { clampPause } from '#http-client';
import { safeObserver, safeInboundSink } from './safe-inbound-sink';
import { insidePlatform, platformSignal } from './platform-context';

export interface Timeouts {
  /** How much longer than its signal allows a send may take to say so, in milliseconds. */
  sendGraceMs: number;
  /** How long a callback may take, in milliseconds; platforms wait for 20 to 60 s. */
  callbackMs: number;
}

const TIMEOUTS: Timeouts = { sendGraceMs: 1_000, callbackMs: 20_000 };

/** Whoever wants to know that an adapter broke the port's promises. */
export type BrokenPromiseListener = (direction: HealthDirection) => void;

/**
 * An adapter that keeps the promises of the port whatever the one behind it does: throws, rejects, never answers, or
 * answers nonsense. One platform's fault stays one platform's fault.
 */
export class SafeAdapter implements PlatformAdapter, Record<keyof PlatformAdapter, unknown> {
  readonly platform: Platform;
  readonly capabilities: PlatformCapabilities;
  readonly unconfigured: string | undefined;
  readonly typingIntervalMs: number;
  private readonly promises: BrokenPromises;

  constructor(
    private readonly adapter: PlatformAdapter,
    broken: BrokenPromiseListener,
    private readonly timeouts: Timeouts = TIMEOUTS,
  ) {
    this.platform = adapter.platform;
    this.capabilities = adapter.capabilities;
    this.unconfigured = adapter.unconfigured;
    this.typingIntervalMs = adapter.typingIntervalMs;
    this.promises = new BrokenPromises(adapter.platform, broken);
  }

  disconnectedFor(recipient: string): string | undefined {
    const ask = () => this.adapter.disconnectedFor?.(recipient);
    return this.promises.attempt('disconnectedFor', ask, isTextOrNothing, undefined);
  }

  participantId(recipient: string): string {
    const ask = () => this.adapter.participantId?.(recipient);
    return this.promises.attempt('participantId', ask, isTextOrNothing, undefined) ?? recipient;
  }

  split(text: string, options: SendOptions): OutboundPart[] {
    const ask = (): OutboundPart[] | undefined => this.adapter.split(text, options);
    const parts = this.promises.attempt('split', ask, Array.isArray, undefined);
    return parts ?? splitText(text, this.capabilities.maxTextLength).map((part, index) => ({ index, text: part }));
  }

  observeRateLimits(listener: (notice: RateLimitNotice) => void): void {
    const ask = () => this.adapter.observeRateLimits?.(listener);
    this.promises.attempt('observeRateLimits', ask, (result) => result === undefined, undefined);
  }

  async run(sink: InboundSink, observer: ConnectionObserver, signal: AbortSignal): Promise<void> {
    const ended = new AbortController();
    const stray = Promise.withResolvers<never>();
    const onStrayFault = (error: unknown): void => {
      this.promises.logger.error({ err: error }, 'run threw where nobody can catch it');
      stray.reject(error);
    };
    const passed = platformSignal(signal, onStrayFault);
    const watched = safeObserver(observer, ended.signal, this.promises.brokenBy('run', 'receiving'));
    const run = async (): Promise<void> => this.adapter.run(safeInboundSink(sink), watched, passed.signal);
    const running = insidePlatform(onStrayFault, run);
    try {
      await Promise.race([running, stray.promise]);
    } finally {
      ended.abort();
      passed.abort();
      passed.release();
    }
  }

  async sendPart(request: SendRequest, part: OutboundPart, signal: AbortSignal): Promise<PartOutcome> {
    const failed = this.promises.brokenBy('sendPart', 'sending');
    const late = Promise.withResolvers<undefined>();
    const abort = (): void => void setTimeout(late.resolve, this.timeouts.sendGraceMs, undefined).unref();
    signal.addEventListener('abort', abort, { once: true });
    const passed = platformSignal(signal, failed);
    try {
      const sending = insidePlatform(failed, async () => this.adapter.sendPart(request, part, passed.signal));
      const outcome = await Promise.race([sending, late.promise]);
      if (!isOutcome(outcome)) throw new TypeError(outcome ? 'an outcome that is none' : 'no outcome in time');
      return outcome.accepted ? outcome : sane(outcome);
    } catch (error) {
      failed(error);
      return UNKNOWN_OUTCOME;
    } finally {
      signal.removeEventListener('abort', abort);
      passed.release();
    }
  }

  async showTyping(recipient: string, address: string | undefined, answered?: string): Promise<void> {
    const failed = this.promises.brokenBy('showTyping', 'sending');
    try {
      await insidePlatform(failed, async () => this.adapter.showTyping(recipient, address, answered));
    } catch (error) {
      failed(error);
    }
  }

  /** Undefined where the adapter has none. */
  get callback(): PlatformAdapter['callback'] {
    const { adapter, timeouts, promises } = this;
    if (!adapter.callback) return undefined;
    return async (request, sink) => {
      const failed = promises.brokenBy('callback', 'receiving');
      const late = Promise.withResolvers<undefined>();
      const timer = setTimeout(late.resolve, timeouts.callbackMs, undefined);
      try {
        const handling = insidePlatform(failed, async () => adapter.callback!(request, safeInboundSink(sink)));
        const answer = await Promise.race([handling, late.promise]);
        if (typeof answer?.status !== 'number') throw new TypeError(answer ? 'an answer that is none' : 'no answer');
        return answer;
      } catch (error) {
        failed(error);
        // Not acknowledged, so that the platform brings it again.
        return { status: 503, body: '' };
      } finally {
        clearTimeout(timer);
      }
    };
  }
}

/** Tells the log, and whoever listens, which promises an adapter breaks. */
class BrokenPromises {
  readonly logger: Logger;

  constructor(
    platform: Platform,
    private readonly listener: BrokenPromiseListener,
  ) {
    this.logger = new Logger(`${platform} adapter`);
  }

  /** @returns to be called with the error by which a method broke one */
  brokenBy(method: keyof PlatformAdapter, direction: HealthDirection): (error: unknown) => void {
    return (error) => {
      this.logger.error({ err: error }, `${method} broke a promise of the port`);
      this.listener(direction);
    };
  }

  /** For methods that answer at once. */
  attempt<T>(method: keyof PlatformAdapter, work: () => T, isValid: (result: T) => boolean, instead: T): T {
    const failed = this.brokenBy(method, 'sending');
    try {
      const result = insidePlatform(failed, work);
      if (isValid(result)) return result;
      // Not declared, but a promise that rejects unheard would be a fault of the whole process.
      void Promise.resolve(result).catch(() => undefined);
      throw new TypeError('a result that is none');
    } catch (error) {
      failed(error);
      return instead;
    }
  }
}

/** Nobody knows what was written before the adapter failed. */
const UNKNOWN_OUTCOME: PartRefused = { accepted: false, failure: sendFailure('ambiguous') };

function isTextOrNothing(result: unknown): boolean {
  return result === undefined || typeof result === 'string';
}

function isOutcome(outcome: PartOutcome | undefined): outcome is PartOutcome {
  if (outcome?.accepted === true) return typeof outcome.platformMessageId === 'string';
  if (outcome?.accepted !== false || typeof outcome.failure?.message !== 'string') return false;
  return Object.hasOwn(SEND_FAILURES, outcome.failure.code);
}

/** A pause is one whatever an adapter makes of what the platform said. */
function sane(refusal: PartRefused): PartRefused {
  const { retryAfterMs } = refusal;
  return retryAfterMs === undefined ? refusal : { ...refusal, retryAfterMs: clampPause(retryAfterMs) };
}
