import { GatewayConnectionError, GatewayTimeoutError } from '../errors';

/** Ends an attempt when its time is up or the caller aborts, and removes its timer and listener. */
export class Deadline {
  private readonly controller = new AbortController();
  private timer: ReturnType<typeof setTimeout> | undefined;
  private isUp = false;

  /**
   * @param ms how long the gateway may take
   * @param caller the attempt throws its reason unchanged
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

  /** Restarts the timer. */
  resume(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.isUp = true;
      this.abort();
    }, this.ms);
  }

  /** Stops the timer, so that the caller's own time does not count. */
  pause(): void {
    clearTimeout(this.timer);
  }

  /** Awaits a step of the exchange; rejects with an error that names the cause. */
  async step<T>(step: Promise<T>): Promise<T> {
    try {
      return await step;
    } catch (error) {
      if (this.caller?.aborted) throw this.caller.reason;
      if (this.isUp) throw new GatewayTimeoutError(`The gateway did not answer within ${this.ms} ms`);
      throw new GatewayConnectionError('The connection to the gateway failed', { cause: error });
    }
  }

  /** Also stops an exchange that the caller has abandoned. */
  end(): void {
    clearTimeout(this.timer);
    this.caller?.removeEventListener('abort', this.abort);
    this.controller.abort();
  }

  private readonly abort = () => this.controller.abort();
}
