import { Logger } from '@nestjs/common';
import { sendFailure, type AccountKey, type Platform } from '#contracts';
import {
  ConnectionError,
  splitText,
  uploadMs,
  type CallbackHead,
  type CallbackResponse,
  type ConnectionObserver,
  type Download,
  type DownloadOptions,
  type HealthDirection,
  type InboundSink,
  type OutboundContent,
  type OutboundPart,
  type PartOutcome,
  type PartRefused,
  type PlatformAdapter,
  type PlatformCapabilities,
  type PlatformTemplate,
  type RateLimitNotice,
  type SendOptions,
  type SendPlan,
  type SendRequest,
} from '#platforms';
import { untilAborted } from '../../core/clock/until-aborted';
import { within } from '../../core/clock/within';
import type { IntegrationHealth } from '../health/integration-health.service';
import { insidePlatform, platformSignal, type StrayFaultHandler } from './platform-context';
import { safeObserver, safeInboundSink } from './safe-inbound-sink';

/** In milliseconds. */
export interface Timeouts {
  /** How long a part without files may take; the lease of its message is extended meanwhile. */
  sendMs: number;
  /** Grace period after the abort, in which the adapter may still return the outcome. */
  sendGraceMs: number;
  /** How long a callback may take; platforms wait for 20 to 60 s. */
  callbackMs: number;
}

const TIMEOUTS: Timeouts = { sendMs: 25_000, sendGraceMs: 1_000, callbackMs: 20_000 };

/** Public error of a fault: its own message may name hosts or statements, which belong in the log. */
export const UNEXPECTED = { code: 'unexpected', message: 'unexpected error; see the log' } as const;

const NO_ANSWER = { code: 'unreachable', message: 'the platform did not respond in time' } as const;

/** It is unknown what the adapter sent before it failed. */
const UNKNOWN_OUTCOME: PartRefused = { accepted: false, failure: sendFailure('ambiguous') };

/**
 * Contains the faults of an adapter: a send that throws or never ends is ambiguous, a failing callback is answered 503,
 * a failing connection ends, and faults in timers and events count like any other. It also records the platform's
 * health.
 */
export class SafeAdapter implements PlatformAdapter, Record<keyof PlatformAdapter, unknown> {
  readonly platform: Platform;
  readonly capabilities: PlatformCapabilities;
  readonly unconfigured: string | undefined;
  readonly typingIntervalMs: number;
  private readonly logger: Logger;

  constructor(
    private readonly adapter: PlatformAdapter,
    readonly at: AccountKey,
    private readonly health: Pick<IntegrationHealth, 'succeeded' | 'failed' | 'sendFailed'>,
    private readonly timeouts: Timeouts = TIMEOUTS,
  ) {
    this.platform = adapter.platform;
    this.capabilities = adapter.capabilities;
    this.unconfigured = adapter.unconfigured;
    this.typingIntervalMs = adapter.typingIntervalMs;
    this.logger = new Logger(`${adapter.platform} adapter`);
  }

  disconnectedFor(recipient: string): string | undefined {
    return this.#attempt('disconnectedFor', () => this.adapter.disconnectedFor?.(recipient));
  }

  recipientFault(recipient: string): string | undefined {
    return this.#attempt('recipientFault', () => this.adapter.recipientFault?.(recipient));
  }

  participantId(recipient: string): string {
    return this.#attempt('participantId', () => this.adapter.participantId?.(recipient)) ?? recipient;
  }

  split(text: string, options: SendOptions): OutboundPart[] {
    const parts = this.#attempt('split', () => this.adapter.split(text, options));
    return parts ?? splitText(text, this.capabilities.maxTextLength).map((part, index) => ({ index, text: part }));
  }

  /** If the adapter has no plan or fails, text is split and anything else is refused: nothing was sent. */
  async plan(content: OutboundContent): Promise<SendPlan> {
    const { adapter } = this;
    const failed = this.#failureOf('plan', 'sending');
    try {
      const plan = insidePlatform(failed, () => adapter.plan?.(content));
      // Most plans need no call to the platform, and so no timer.
      if (plan) return 'then' in plan ? await within(this.timeouts.sendMs, plan) : plan;
    } catch (error) {
      failed(error);
    }
    if (content.files?.length || content.interactive) return { refusal: `${this.platform} accepts only text` };
    return { parts: this.split(content.text, content.options) };
  }

  /** A fault of the adapter counts as temporary: `later`. */
  async download(ref: string, signal: AbortSignal, options?: DownloadOptions): Promise<Download> {
    const { adapter } = this;
    if (!adapter.download) return { started: false, failure: 'expired', message: 'the platform has no files' };
    const failed = this.#failureOf('download', 'receiving');
    const passed = platformSignal(signal, failed);
    try {
      const download = await insidePlatform(failed, async () => adapter.download!(ref, passed.signal, options));
      if (download.started) download.body.once('close', passed.release);
      else passed.release();
      return download;
    } catch (error) {
      passed.release();
      failed(error);
      return { started: false, failure: 'later', message: UNEXPECTED.message };
    }
  }

  /** @returns undefined if the platform has no templates or is not configured @throws ConnectionError */
  async templates(signal: AbortSignal): Promise<readonly PlatformTemplate[] | undefined> {
    const { adapter } = this;
    if (!adapter.templates || adapter.unconfigured !== undefined) return undefined;
    const failed = this.#failureOf('templates', 'sending');
    const passed = platformSignal(signal, failed);
    try {
      const listing = insidePlatform(failed, async () => adapter.templates!(passed.signal));
      return await Promise.race([listing, untilAborted(signal).then(() => Promise.reject(signal.reason as Error))]);
    } catch (error) {
      if (error instanceof ConnectionError) throw error;
      if (signal.aborted) throw new ConnectionError(NO_ANSWER, false);
      failed(error);
      throw new ConnectionError(UNEXPECTED, false);
    } finally {
      passed.release();
    }
  }

  observeRateLimits(listener: (notice: RateLimitNotice) => void): void {
    this.#attempt('observeRateLimits', () => this.adapter.observeRateLimits?.(listener));
  }

  async run(sink: InboundSink, observer: ConnectionObserver, signal: AbortSignal): Promise<void> {
    const stray = Promise.withResolvers<never>();
    const onStrayFault = (error: unknown): void => {
      this.logger.error({ err: error }, 'run threw where no caller can catch it');
      stray.reject(error);
    };
    const passed = platformSignal(signal, onStrayFault);
    const run = async (): Promise<void> =>
      this.adapter.run(safeInboundSink(sink), safeObserver(observer, passed.signal), passed.signal);
    const running = insidePlatform(onStrayFault, run);
    try {
      await Promise.race([running, stray.promise]);
    } finally {
      passed.abort();
      passed.release();
    }
  }

  /** Needs no signal, because it has its own time limit. Never rejects. */
  async sendPart(request: SendRequest, part: OutboundPart): Promise<PartOutcome> {
    const { at, health, timeouts } = this;
    const sendMs = timeouts.sendMs + uploadMs(part.files);
    const failed = this.#failureOf('sendPart', 'sending');
    const late = new AbortController();
    const timer = setTimeout(() => insidePlatform(failed, () => late.abort()), sendMs);
    let outcome: PartOutcome;
    try {
      const sending = insidePlatform(failed, async () => this.adapter.sendPart(request, part, late.signal));
      outcome = await within(sendMs + timeouts.sendGraceMs, sending);
    } catch (error) {
      failed(error);
      outcome = UNKNOWN_OUTCOME;
    } finally {
      clearTimeout(timer);
    }
    if (outcome.accepted) health.succeeded(at, 'sending');
    else if (!outcome.isOwnPause) {
      this.#logRefusal(outcome);
      health.sendFailed(at, outcome);
    }
    return outcome;
  }

  async showTyping(recipient: string, address: string | undefined, answered?: string): Promise<void> {
    const failed = this.#failureOf('showTyping', 'sending');
    try {
      await insidePlatform(failed, async () => this.adapter.showTyping(recipient, address, answered));
    } catch (error) {
      failed(error);
    }
  }

  refuseCallback(head: CallbackHead): CallbackResponse | undefined {
    return this.#attempt('refuseCallback', () => this.adapter.refuseCallback?.(head));
  }

  /** Undefined if the adapter has no callback. */
  get callback(): PlatformAdapter['callback'] {
    const { adapter, at, health } = this;
    if (!adapter.callback) return undefined;
    return async (request, sink) => {
      const failed = this.#failureOf('callback', 'receiving');
      try {
        const handling = insidePlatform(failed, async () => adapter.callback!(request, safeInboundSink(sink)));
        const answer = await within(this.timeouts.callbackMs, handling);
        // A request that is not the platform's (401, 403, 404) says nothing about the platform's health.
        if (request.method === 'POST' && answer.status === 200) health.succeeded(at, 'receiving');
        return answer;
      } catch (error) {
        failed(error);
        // Not acknowledged, so that the platform retries it.
        return { status: 503, body: '' };
      }
    };
  }

  /** Logs every refusal, even one about the recipient alone: the log says why a message was not sent. */
  #logRefusal({ failure, retryAfterMs }: PartRefused): void {
    const { code, message, platform_code } = failure;
    this.logger.debug(
      { code, platform_code, retry_after_ms: retryAfterMs },
      `The platform rejected a message: ${message}`,
    );
  }

  /** For synchronous methods. @returns undefined when the method throws */
  #attempt<T>(method: keyof PlatformAdapter, work: () => T): T | undefined {
    try {
      return work();
    } catch (error) {
      this.#failureOf(method, 'sending')(error);
      return undefined;
    }
  }

  /** @returns the error handler of a method */
  #failureOf(method: keyof PlatformAdapter, direction: HealthDirection): StrayFaultHandler {
    return (error) => {
      this.logger.error({ err: error }, `${method} failed`);
      this.health.failed(this.at, direction, UNEXPECTED);
    };
  }
}
