import { once } from 'node:events';
import { connect, createServer, type NetConnectOpts, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { lastingPort } from './lasting-port';

/** Stands between a client and a server on this machine. A cut looks like an outage of the server, which keeps running. */
export class TcpProxy {
  private frozen = false;
  private readonly sockets = new Set<Socket>();
  private server?: Server;
  private port = 0;

  /** @param url of the server behind it */
  constructor(private behind: string) {}

  /** The server's URL, by way of the proxy. */
  get url(): string {
    const url = new URL(this.behind);
    url.host = `127.0.0.1:${this.port}`;
    return url.href;
  }

  /** The server has moved, with its databases. @param url of any of them at its new place */
  follow(url: string): void {
    const moved = new URL(url);
    moved.pathname = new URL(this.behind).pathname;
    this.behind = moved.href;
  }

  /** Starts, or ends the outage: at the same address. */
  async open(): Promise<this> {
    const address = addressOf(this.behind);
    this.frozen = false;
    this.server = createServer((client) => {
      const upstream = connect(address);
      for (const [socket, other] of [
        [client, upstream],
        [upstream, client],
      ] as const) {
        this.sockets.add(socket);
        if (!this.frozen) socket.pipe(other);
        // One side that ends or breaks ends the other.
        socket.on('error', () => other.destroy());
        socket.on('close', () => {
          this.sockets.delete(socket);
          other.destroy();
        });
      }
    });
    this.port ||= await lastingPort();
    this.server.listen(this.port, '127.0.0.1');
    await once(this.server, 'listening');
    return this;
  }

  /** Connections stay open and carry nothing more, until they are cut. */
  freeze(): void {
    this.frozen = true;
    for (const socket of this.sockets) socket.unpipe().pause();
  }

  /** Every connection breaks, new ones are refused. */
  async cut(): Promise<void> {
    if (!this.server) return;
    const closed = once(this.server, 'close');
    this.server.close();
    this.server = undefined;
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }
}

/** Where a PostgreSQL listens: the embedded one is found by the folder of its Unix socket. */
export function addressOf(url: string): NetConnectOpts {
  const { hostname, port } = new URL(url);
  const host = decodeURIComponent(hostname);
  return host.startsWith('/') ? { path: join(host, '.s.PGSQL.5432') } : { host, port: Number(port) };
}
