import { createServer, request as httpRequest, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One address for several fakes of a platform: the bots of Telegram, or the numbers of WhatsApp, have one API. */
export class RouterFake {
  url = '';
  readonly #server: Server;

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
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
