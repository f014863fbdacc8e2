import { once } from 'node:events';
import { connect, createServer, type NetConnectOpts, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { lastingPort } from './lasting-port';

/** A TCP proxy between a client and a local server. To the client, a cut looks like an outage; the server keeps running. */
export class TcpProxy {
  private frozen = false;
  private readonly sockets = new Set<Socket>();
  private server?: Server;
  private port = 0;

  /** @param url of the server behind it */
  constructor(private behind: string) {}

  /** The server's URL through the proxy. */
  get url(): string {
    const url = new URL(this.behind);
    url.host = `127.0.0.1:${this.port}`;
    return url.href;
  }

  /** Call it when the server has moved to another address. @param url of any of its databases there */
  follow(url: string): void {
    const moved = new URL(url);
    moved.pathname = new URL(this.behind).pathname;
    this.behind = moved.href;
  }

  /** Starts listening, or ends an outage; the port stays the same. */
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
        // When one side closes or fails, close the other.
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

  /** Connections stay open but carry no more data, until `cut` closes them. */
  freeze(): void {
    this.frozen = true;
    for (const socket of this.sockets) socket.unpipe().pause();
  }

  /** Breaks every connection and refuses new ones. */
  async cut(): Promise<void> {
    if (!this.server) return;
    const closed = once(this.server, 'close');
    this.server.close();
    this.server = undefined;
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }
}

/** The address of a PostgreSQL. The URL of the embedded server names the folder of its Unix socket as the host. */
export function addressOf(url: string): NetConnectOpts {
  const { hostname, port } = new URL(url);
  const host = decodeURIComponent(hostname);
  return host.startsWith('/') ? { path: join(host, '.s.PGSQL.5432') } : { host, port: Number(port) };
}
