import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';

/** A receiver's behaviour at a connection. Each call of `asked` resolves when the next whole request has arrived. */
export type Hostility = (socket: Socket, asked: () => Promise<void>) => Promise<void> | void;

/**
 * A receiver that breaks HTTP: its `Hostility` gets the raw socket. Each receiver has one kind of hostility and its own port
 * on 127.0.0.1.
 */
export class HostileReceiver {
  /** All connections so far. */
  connections = 0;
  /** All whole requests so far. */
  requests = 0;
  /** Bytes written to closed connections, including bytes in system buffers that the client never read. */
  written = 0;
  private readonly sockets = new Set<Socket>();
  private server?: Server;

  constructor(
    private readonly hostility: Hostility,
    /** With it the receiver speaks TLS. */
    private readonly tls?: TlsOptions,
  ) {}

  async start(): Promise<this> {
    // Half-open: after the receiver ends its side, it can still read.
    const server = this.tls
      ? createTlsServer({ ...this.tls, allowHalfOpen: true }, (socket) => this.meet(socket))
      : createServer({ allowHalfOpen: true }, (socket) => this.meet(socket));
    // With TLS, this counts raw connections: a failed handshake never calls `meet`.
    server.on('connection', (socket: Socket) => this.keep(socket));
    server.on('tlsClientError', () => undefined);
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
    this.server = server;
    return this;
  }

  url(scheme = this.tls ? 'https' : 'http', host = '127.0.0.1'): string {
    return `${scheme}://${host}:${(this.server!.address() as AddressInfo).port}/`;
  }

  /** The number of open connections. */
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

/** The end of the first request in a text, by its Content-Length; 0 if it is incomplete. */
function requestEnd(text: string): number {
  const head = text.indexOf('\r\n\r\n');
  if (head < 0) return 0;
  const length = Number(/^content-length: *(\d+)/im.exec(text.slice(0, head))?.[1] ?? 0);
  const end = head + 4 + length;
  return text.length >= end ? end : 0;
}
