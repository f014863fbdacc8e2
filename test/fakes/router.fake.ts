import { createServer, request as httpRequest, type IncomingMessage, type Server } from 'node:http';
import { lastingPort } from '../support/lasting-port';

/** One address for several fakes of a platform: the bots of Telegram, or the numbers of WhatsApp, have one API. */
export class RouterFake {
  url = '';
  readonly #server: Server;
  #port = 0;

  /** @param targetOf the address of the fake that a request is for */
  constructor(targetOf: (request: IncomingMessage) => string) {
    this.#server = createServer((incoming, answer) => {
      const { method, headers, url = '/' } = incoming;
      const outgoing = httpRequest(new URL(url, targetOf(incoming)), { method, headers }, (answered) => {
        answer.writeHead(answered.statusCode!, answered.headers);
        answered.pipe(answer);
      });
      outgoing.on('error', () => answer.destroy());
      answer.on('close', () => outgoing.destroy());
      incoming.pipe(outgoing);
    });
  }

  async start(): Promise<void> {
    this.#port ||= await lastingPort();
    await new Promise<void>((resolve) => this.#server.listen(this.#port, '127.0.0.1', resolve));
    this.url = `http://127.0.0.1:${this.#port}`;
  }

  /** After another start it has the same address. */
  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
