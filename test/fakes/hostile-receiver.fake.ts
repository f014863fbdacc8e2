import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';

/** What a receiver does with a connection: `asked` resolves when a whole request has arrived on it. */
export type Hostility = (socket: Socket, asked: () => Promise<void>) => Promise<void> | void;

/**
 * A receiver that does not keep to HTTP: it has the bare connection and does with it whatever it likes. One per kind of
 * hostility, on 127.0.0.1 and a port of its own.
 */
export class HostileReceiver {
  /** Connections that were made to it. */
  connections = 0;
  /** Whole requests that have arrived. */
  requests = 0;
  /** What was written to connections that are closed, in bytes: what the other side took, and what the system keeps. */
  written = 0;
  private readonly sockets = new Set<Socket>();
  private server?: Server;

  constructor(
    private readonly hostility: Hostility,
    /** With it the receiver speaks TLS. */
    private readonly tls?: TlsOptions,
  ) {}

  async start(): Promise<this> {
    // Half-open: who only ends its own side still hears the other.
    const server = this.tls
      ? createTlsServer({ ...this.tls, allowHalfOpen: true }, (socket) => this.meet(socket))
      : createServer({ allowHalfOpen: true }, (socket) => this.meet(socket));
    // With TLS, the raw ones: a handshake that fails never gets further.
    server.on('connection', (socket: Socket) => this.keep(socket));
    server.on('tlsClientError', () => undefined);
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
    this.server = server;
    return this;
  }

  url(scheme = this.tls ? 'https' : 'http', host = '127.0.0.1'): string {
    return `${scheme}://${host}:${(this.server!.address() as AddressInfo).port}/`;
  }

  /** How many connections are open now. */
  get open(): number {
    return this.sockets.size;
  }

  async stop(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.server!.close(() => resolve()));
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }

  private keep(socket: Socket): void {
    this.connections += 1;
    this.sockets.add(socket);
    socket.on('close', () => {
      this.sockets.delete(socket);
      this.written += socket.bytesWritten;
    });
    socket.on('error', () => undefined);
  }

  private meet(socket: Socket): void {
    socket.on('error', () => undefined);
    const waiting: (() => void)[] = [];
    let arrived = 0;
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      for (let end = requestEnd(text); end > 0; end = requestEnd(text)) {
        text = text.slice(end);
        this.requests += 1;
        const signal = waiting.shift();
        if (signal) signal();
        else arrived += 1;
      }
    });
    const asked = (): Promise<void> => {
      if (arrived === 0) return new Promise((resolve) => waiting.push(resolve));
      arrived -= 1;
      return Promise.resolve();
    };
    void this.hostility(socket, asked);
  }
}

/** Where the first request in a text ends, by its Content-Length; 0 where it is not whole. */
function requestEnd(text: string): number {
  const head = text.indexOf('\r\n\r\n');
  if (head < 0) return 0;
  const length = Number(/^content-length: *(\d+)/im.exec(text.slice(0, head))?.[1] ?? 0);
  const end = head + 4 + length;
  return text.length >= end ? end : 0;
}
