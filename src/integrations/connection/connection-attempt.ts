import {
  ConnectionError,
  type ConnectionDetails,
  type ConnectionObserver,
  type InboundSink,
  type PlatformAdapter,
} from '#platforms';
import { repeat } from '../../core/clock/repeat';
import { untilAborted } from '../../core/clock/until-aborted';
import { UNEXPECTED } from '../platforms/safe-adapter';

/** How often the liveness of a connection is checked, in milliseconds. */
const LIVENESS_CHECK_MS = 1_000;

/** Why the supervisor ended an attempt. */
export class Ended extends Error {}

export class ConnectionAttempt {
  private readonly ending = new AbortController();
  private provenAt = performance.now();

  constructor(
    private readonly adapter: PlatformAdapter,
    private readonly sink: InboundSink,
    private readonly observer: ConnectionObserver,
  ) {}

  /** Resolves with the reason for the end of the attempt; never rejects. */
  async run(): Promise<Ended | ConnectionError> {
    const { signal } = this.ending;
    const endChecks = repeat(LIVENESS_CHECK_MS, () => this.checkLiveness());
    try {
      // An adapter that ignores its signal must not delay the next attempt.
      await Promise.race([this.adapter.run(this.sink, this.observed(), signal), untilAborted(signal)]);
      if (!signal.aborted) throw new Error('the adapter stopped by itself');
    } catch (error) {
      if (!signal.aborted) return asConnectionError(error);
    } finally {
      endChecks();
    }
    return signal.reason as Ended | ConnectionError;
  }

  end(reason: Ended | ConnectionError): void {
    this.ending.abort(reason);
  }

  /** Notes each proof. `SafeAdapter` drops reports after the end. */
  private observed(): ConnectionObserver {
    const { observer } = this;
    return {
      proven: (details: ConnectionDetails) => {
        this.provenAt = performance.now();
        observer.proven(details);
      },
      warning: (fault) => observer.warning(fault),
      backlog: (waiting) => observer.backlog(waiting),
    };
  }

  /** Ends a connection without a recent proof: without this, a hung connection would look like a quiet one. */
  private checkLiveness(): void {
    const silentMs = performance.now() - this.provenAt;
    if (silentMs <= this.adapter.capabilities.livenessMs) return;
    const message = `the platform was silent for ${Math.round(silentMs / 1000)} s`;
    this.end(new ConnectionError({ code: 'silent', message }, false));
  }
}

function asConnectionError(error: unknown): ConnectionError {
  return error instanceof ConnectionError ? error : new ConnectionError(UNEXPECTED, false, undefined, { cause: error });
}
