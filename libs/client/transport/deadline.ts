import { GatewayConnectionError, GatewayTimeoutError } from '../errors';

/** Ends an attempt when its time is up or the caller gives up, and leaves nothing behind. */
export class Deadline {
  private readonly controller = new AbortController();
  private timer: ReturnType<typeof setTimeout> | undefined;
  private isUp = false;

  /**
   * @param ms how long the gateway may take
   * @param caller its reason is thrown as it is
   */
  constructor(
    private readonly ms: number,
    private readonly caller: AbortSignal | undefined,
  ) {
    if (caller?.aborted) this.abort();
    caller?.addEventListener('abort', this.abort);
    this.resume();
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** The time begins anew. */
  resume(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.isUp = true;
      this.abort();
    }, this.ms);
  }

  /** What the caller does meanwhile does not count. */
  pause(): void {
    clearTimeout(this.timer);
  }

  /** Awaits a step of the exchange; what it rejects with tells what went wrong. */
  async step<T>(step: Promise<T>): Promise<T> {
    try {
      return await step;
    } catch (error) {
      if (this.caller?.aborted) throw this.caller.reason;
      if (this.isUp) throw new GatewayTimeoutError(`The gateway did not answer within ${this.ms} ms`);
      throw new GatewayConnectionError('The connection to the gateway failed', { cause: error });
    }
  }

  /** Also stops an exchange that was walked away from. */
  end(): void {
    clearTimeout(this.timer);
    this.caller?.removeEventListener('abort', this.abort);
    this.controller.abort();
  }

  private readonly abort = () => this.controller.abort();
}
