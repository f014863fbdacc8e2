import { Client, type ClientConfig } from 'pg';

/**
 * A connection that breaks emits `error` beside failing what is under way, and an `error` event without a listener ends the
 * process. The pool does not listen while it hands a connection on: when the server's goodbye comes in the same packet as the
 * answer before it, it comes when there is no listener.
 */
export class HeardClient extends Client {
  constructor(config?: ClientConfig) {
    super(config);
    this.on('error', () => undefined);
  }
}
