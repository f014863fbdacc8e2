import { Logger } from '@nestjs/common';
import { SEND_FAILURES } from '#contracts';
import {
  splitText,
  type CallbackResponse,
  type HealthDirection,
  type InboundSink,
  type OutboundPart,
  type PartOutcome,
  type PartRefused,
  type PlatformAdapter,
} from '#platforms';
import { guardedObserver, guardedSink } from './guarded-sink';
import { insidePlatform, platformSignal } from './platform-context';

export interface Patience {
  /** How much longer than its signal allows a send may take to say so, in milliseconds. */
  sendGraceMs: number;
  /** How long a callback may take, in milliseconds; platforms wait for 20 to 60 s. */
  callbackMs: number;
}

const PATIENCE: Patience = { sendGraceMs: 1_000, callbackMs: 20_000 };
const DAY_MS = 86_400_000;

/** Whoever wants to know that an adapter broke the port's promises. */
export type BrokenPromiseListener = (direction: HealthDirection) => void;

/**
 * An adapter that keeps the promises of the port whatever the one behind it does: throws, rejects, never answers, or
 * answers nonsense. One platform's fault stays one platform's fault.
 */
export function guarded(
  adapter: PlatformAdapter,
  broken: BrokenPromiseListener,
  { sendGraceMs, callbackMs }: Patience = PATIENCE,
): PlatformAdapter {
  const logger = new Logger(`${adapter.platform} adapter`);
  const report = (method: string, direction: HealthDirection) => (error: unknown) => {
    logger.error({ err: error }, `${method} broke a promise of the port`);
    broken(direction);
  };
  /** For methods that answer at once. */
  const attempt = <T>(method: keyof PlatformAdapter, work: () => T, isValid: (result: T) => boolean, instead: T): T => {
    const failed = report(method, 'sending');
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
  };
  const guard = {
    platform: adapter.platform,
    capabilities: adapter.capabilities,
    unconfigured: adapter.unconfigured,
    typingIntervalMs: adapter.typingIntervalMs,

    disconnectedFor: (recipient) =>
      attempt('disconnectedFor', () => adapter.disconnectedFor?.(recipient), isTextOrNothing, undefined),

    participantId: (recipient) =>
      attempt('participantId', () => adapter.participantId?.(recipient), isTextOrNothing, undefined) ?? recipient,

    split: (text, options) => {
      const parts = attempt<OutboundPart[] | undefined>(
        'split',
        () => adapter.split(text, options),
        Array.isArray,
        undefined,
      );
      return parts ?? splitText(text, adapter.capabilities.maxTextLength).map((part, index) => ({ index, text: part }));
    },

    observeRateLimits: (listener) =>
      attempt(
        'observeRateLimits',
        () => adapter.observeRateLimits?.(listener),
        (result) => result === undefined,
        undefined,
      ),

    async run(sink, observer, signal) {
      const ended = new AbortController();
      const stray = Promise.withResolvers<never>();
      const onStrayFault = (error: unknown): void => {
        logger.error({ err: error }, 'run threw where nobody can catch it');
        stray.reject(error);
      };
      const passed = platformSignal(signal, onStrayFault);
      const watched = guardedObserver(observer, ended.signal, report('run', 'receiving'));
      const running = insidePlatform(onStrayFault, async () => adapter.run(guardedSink(sink), watched, passed.signal));
      try {
        await Promise.race([running, stray.promise]);
      } finally {
        ended.abort();
        passed.abort();
        passed.release();
      }
    },

    async sendPart(request, part, signal) {
      const failed = report('sendPart', 'sending');
      const late = Promise.withResolvers<undefined>();
      const abort = (): void => void setTimeout(late.resolve, sendGraceMs, undefined).unref();
      signal.addEventListener('abort', abort, { once: true });
      const passed = platformSignal(signal, failed);
      try {
        const sending = insidePlatform(failed, async () => adapter.sendPart(request, part, passed.signal));
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
    },

    async showTyping(recipient, address, lastInboundPlatformMessageId) {
      try {
        const show = async (): Promise<void> => adapter.showTyping(recipient, address, lastInboundPlatformMessageId);
        await insidePlatform(report('showTyping', 'sending'), show);
      } catch (error) {
        report('showTyping', 'sending')(error);
      }
    },

    get callback() {
      if (!adapter.callback) return undefined;
      return async (request: Parameters<typeof adapter.callback>[0], sink: InboundSink): Promise<CallbackResponse> => {
        const failed = report('callback', 'receiving');
        const late = Promise.withResolvers<undefined>();
        const timer = setTimeout(late.resolve, callbackMs, undefined);
        try {
          const handling = insidePlatform(failed, async () => adapter.callback!(request, guardedSink(sink)));
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
    },
  } satisfies PlatformAdapter & Record<keyof PlatformAdapter, unknown>;
  return guard;
}

/** Nobody knows what was written before the adapter failed. */
const UNKNOWN_OUTCOME: PartRefused = {
  accepted: false,
  failure: { code: 'ambiguous', platform_code: null, ...SEND_FAILURES.ambiguous },
};

function isTextOrNothing(result: unknown): boolean {
  return result === undefined || typeof result === 'string';
}

function isOutcome(outcome: PartOutcome | undefined): outcome is PartOutcome {
  if (outcome?.accepted === true) return typeof outcome.platformMessageId === 'string';
  if (outcome?.accepted !== false || typeof outcome.failure?.message !== 'string') return false;
  return Object.hasOwn(SEND_FAILURES, outcome.failure.code);
}

/** A pause that no timer can count would be none at all: setTimeout takes it for 1 ms. */
function sane({ retryAfterMs, ...refusal }: PartRefused): PartRefused {
  if (retryAfterMs === undefined) return refusal;
  return {
    ...refusal,
    retryAfterMs: Number.isFinite(retryAfterMs) ? Math.min(Math.max(retryAfterMs, 0), DAY_MS) : 1_000,
  };
}
