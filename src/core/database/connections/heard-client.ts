import { Client, type ClientConfig } from 'pg';

/**
 * A client that always listens for `error`: a broken connection emits `error` besides failing its statement, and without a
 * listener that event ends the process. The pool does not listen while it hands a connection over, and the server's goodbye
 * arrives just then if it comes in one packet with the last answer.
 */
export class HeardClient extends Client {
  constructor(config?: ClientConfig) {
    super(config);
    this.on('error', () => undefined);
  }
}
