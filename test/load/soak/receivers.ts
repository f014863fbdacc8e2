import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { lastingPort } from '../../support/lasting-port';

/** Not the address of the working receivers, so that limits per host affect only the dead ones. */
const DEAD_HOST = '127.0.0.2';

/** How dead receivers fail. */
const DEAD = ['refuses', 'hangs', 'resets', 'fails'] as const;

/** The flapping receiver answers 503 for 4 s in every 20 s: for less time than its retries take. */
const FLAPPING_MS = { every: 20_000, away: 4_000 };

/** Webhook receivers: some accept everything, one flaps, most are dead. They keep only ids, because a soak is long. */
export class SoakReceivers {
  /** Path → event id → how often the receiver accepted it. */
  readonly taken = new Map<string, Map<string, number>>();
  private readonly servers: Server[] = [];
  private livingOrigin = '';
  private deadOrigin = '';
  private refusingOrigin = '';

  async start(): Promise<this> {
    this.livingOrigin = await this.listen('127.0.0.1', (request, response) => void this.take(request, response));
    this.deadOrigin = await this.listen(DEAD_HOST, (request, response) => this.fail(request, response));
    this.refusingOrigin = `http://${DEAD_HOST}:${await lastingPort()}`;
    return this;
  }

  /** URLs of receivers that accept every event sooner or later. */
  living(): string[] {
    return ['/steady/0', '/steady/1', '/flapping'].map((path) => this.livingOrigin + path);
  }

  /** URLs of receivers that accept no event. */
  dead(count: number, kinds: readonly (typeof DEAD)[number][] = DEAD): string[] {
    return Array.from({ length: count }, (_, index) => {
      const kind = kinds[index % kinds.length]!;
      return `${kind === 'refuses' ? this.refusingOrigin : this.deadOrigin}/${kind}/${index}`;
    });
  }

  stop(): void {
    for (const server of this.servers) server.close().closeAllConnections();
  }

  private async listen(host: string, serve: (request: IncomingMessage, response: ServerResponse) => void) {
    const server = createServer({ keepAliveTimeout: 65_000 }, serve);
    this.servers.push(server);
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, host, resolve));
    return `http://${host}:${(server.address() as AddressInfo).port}`;
  }

  private async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const path = request.url!;
      if (path === '/flapping' && performance.now() % FLAPPING_MS.every < FLAPPING_MS.away) {
        response.writeHead(503).end();
        return;
      }
      const { id } = JSON.parse(Buffer.concat(chunks).toString('utf8')) as { id: string };
      const ids = this.taken.get(path) ?? new Map<string, number>();
      this.taken.set(path, ids.set(id, (ids.get(id) ?? 0) + 1));
      response.writeHead(200).end();
    } catch {
      // The instance was killed during the post. It posts again.
      response.destroy();
    }
  }

  private fail(request: IncomingMessage, response: ServerResponse): void {
    request.resume().on('error', () => undefined);
    const kind = request.url!.split('/')[1];
    if (kind === 'resets') request.socket.resetAndDestroy();
    else if (kind === 'fails') response.writeHead(503).end();
  }
}
