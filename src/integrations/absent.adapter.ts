import { SEND_FAILURES, type Platform } from '#contracts';
import {
  ConnectionError,
  type OutboundPart,
  type PartOutcome,
  type PlatformAdapter,
  type PlatformCapabilities,
} from '#platforms';

/** Stands for a platform that this version cannot talk to: never connected, and it says why. */
export class AbsentAdapter implements PlatformAdapter {
  readonly unconfigured = 'not configured';
  readonly typingIntervalMs = 5_000;
  readonly capabilities: PlatformCapabilities = {
    maxTextLength: 4_096,
    deduplicatesSends: true,
    confirmation: 'platform',
    confirmAfterMs: 0,
    livenessMs: 90_000,
  };

  constructor(readonly platform: Platform) {}

  run(): Promise<void> {
    return Promise.reject(new ConnectionError({ code: 'not_configured', message: this.unconfigured }, true));
  }

  split(text: string): OutboundPart[] {
    return [{ index: 0, text }];
  }

  sendPart(): Promise<PartOutcome> {
    const { message, retryable } = SEND_FAILURES.platform_unavailable;
    return Promise.resolve({
      accepted: false,
      failure: { code: 'platform_unavailable', message, platform_code: null, retryable },
    });
  }

  showTyping(): Promise<void> {
    return Promise.resolve();
  }
}
