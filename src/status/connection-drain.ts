import { createServer, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { repeat } from '../core/clock/repeat';
import { untilQuiet } from '../core/cluster/until-quiet';

const REAP_MS = 100;
/** Open requests, and with them the listener, may continue for this long after the close began, in milliseconds. */
const REQUEST_GRACE_MS = 30_000;
/** A connection on which the client has sent nothing is cut this long after the listener closed, in milliseconds. */
const SILENT_MS = 1_000;

/** Closes a server, and answers every request of which it has read a byte. */
export class ConnectionDrain {
  private readonly sockets = new Set<Socket>();
  private accepted = 0;
  private cutAt = Infinity;
  private closedAt = Infinity;
  private endReaping?: () => void;

  /** @param queueTimeoutMs a listener that never becomes quiet closes after this time */
  constructor(
    private readonly server: Server,
    private readonly queueTimeoutMs?: number,
  ) {
    server.on('connection', (socket: Socket) => {
      this.accepted += 1;
      this.sockets.add(socket);
      socket.once('close', () => this.sockets.delete(socket));
    });
  }

  /** From now on open requests have 30 seconds. */
  begin(): void {
    this.cutAt = performance.now() + REQUEST_GRACE_MS;
    this.endReaping = repeat(REAP_MS, () => this.reap());
  }

  /**
   * Closes the listener when no connection waits to be accepted.
   * @returns false when the time was up before the listener became quiet
   */
  async closeListener(): Promise<boolean> {
    await closeAnotherListener();
    const isQuiet = await untilQuiet(() => this.accepted, this.queueTimeoutMs);
    closeHandle(this.server);
    this.closedAt = performance.now();
    // First read the requests that have arrived on idle connections.
    await nextTurn();
    this.server.closeIdleConnections();
    return isQuiet;
  }

  end(): void {
    this.endReaping?.();
  }

  /**
   * When a server closes, Node closes idle connections, but not those that become idle later or have never been used: a
   * client that keeps its connection would delay the stop until the keep-alive timeout.
   */
  private reap(): void {
    const now = performance.now();
    if (now >= this.cutAt) this.server.closeAllConnections();
    else if (!this.server.listening) this.server.closeIdleConnections();
    if (now - this.closedAt < SILENT_MS) return;
    for (const socket of this.sockets) if (socket.bytesRead === 0) socket.destroy();
  }
}

/**
 * Closes only the listening handle. Node's `close` would first end idle connections, whose clients reconnect at once, and
 * the kernel would reset the new connections in its queue.
 */
function closeHandle(server: Server): void {
  server.closeIdleConnections = () => undefined;
  server.close();
  Reflect.deleteProperty(server, 'closeIdleConnections');
}

/**
 * Closes another server first, so that V8 has compiled the functions. A connection that arrives between the last look at the
 * queue and the close is reset: compiled functions shorten that time.
 */
async function closeAnotherListener(): Promise<void> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve).once('error', () => resolve()));
  closeHandle(server);
}
