import type { ConnectionError } from '../platform.port';

/**
 * Checks the token of a connection as soon as a send is refused because of it. By itself the connection may notice that
 * late, or never (Discord’s socket outlives its token), and platforms ban an address that goes on calling with a bad one.
 */
export class TokenCheck {
  /** Checks the token of the live connection. */
  private ask: () => void = () => undefined;

  constructor(
    /** Makes a request that needs the token. */
    private readonly request: (signal: AbortSignal) => Promise<unknown>,
    private readonly connectionError: (error: unknown) => ConnectionError,
  ) {}

  /** A send was refused for the token. One refusal may be a mistake, so the token is checked. */
  check(): void {
    this.ask();
  }

  /** Resolves or rejects as `connect` does. Also rejects if the check is refused for good; then it aborts `connect`. */
  async during(signal: AbortSignal, connect: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const ended = new AbortController();
    const live = AbortSignal.any([signal, ended.signal]);
    const refused = Promise.withResolvers<never>();
    let checking: Promise<unknown> | undefined;
    const ask = (): void => {
      if (live.aborted) return;
      const evaluate = (error: unknown): void => {
        const refusal = this.connectionError(error);
        if (refusal.fatal && !live.aborted) refused.reject(refusal);
      };
      checking ??= this.request(live)
        .catch(evaluate)
        .finally(() => (checking = undefined));
    };
    this.ask = ask;
    try {
      await Promise.race([connect(live), refused.promise]);
    } finally {
      ended.abort();
      if (this.ask === ask) this.ask = () => undefined;
    }
  }
}
