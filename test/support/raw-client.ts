import { connect, type Socket } from 'node:net';

/** An answer as read from the socket. */
export interface RawAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** A client that writes raw bytes. With `reads: false` it never reads the answer. */
export class RawClient {
  readonly socket: Socket;
  /** Resolves when the server ends the connection, with the milliseconds for which it was open. */
  readonly closed: Promise<number>;
  private text = '';

  /** @param from the local address, within 127.0.0.0/8 */
  constructor(url: string, { from = '127.0.0.1', reads = true } = {}) {
    const { hostname, port } = new URL(url);
    const startedAt = performance.now();
    this.socket = connect({ host: hostname, port: Number(port), localAddress: from, allowHalfOpen: true });
    // The server may reset the connection of a refused client that still writes.
    this.socket.on('error', () => undefined);
    this.closed = new Promise((resolve) => {
      const end = () => resolve(performance.now() - startedAt);
      this.socket.on('close', end).on('end', end);
    });
    if (reads) this.socket.on('data', (chunk: Buffer) => (this.text += chunk.toString('latin1')));
    else this.socket.pause();
  }

  write(...lines: string[]): this {
    this.socket.write(lines.join('\r\n'), 'latin1');
    return this;
  }

  /** The answer, once the connection has ended. */
  async answer(): Promise<RawAnswer> {
    await this.closed;
    return this.answered();
  }

  /** The part of the answer that has arrived so far. */
  answered(): RawAnswer {
    const [head = '', body = ''] = this.text.split('\r\n\r\n', 2);
    const [status = '', ...lines] = head.split('\r\n');
    const headers = lines.map((line) => line.split(': ', 2) as [string, string]);
    return {
      status: Number(status.split(' ')[1]),
      headers: Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value])),
      body,
    };
  }
}
