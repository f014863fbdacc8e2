import type { Server } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
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
  private cutAt = Infinity;
  private closedAt = Infinity;
  private endReaping?: () => void;

  /** @param queueTimeoutMs a listener that never becomes quiet closes after this time */
  constructor(
    private readonly server: Server,
    private readonly queueTimeoutMs?: number,
  ) {
    server.on('connection', (socket: Socket) => {
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
    const held = this.holdConnections();
    const isQuiet = await untilQuiet(held.count, this.queueTimeoutMs);
    // An HTTP server's own `close` would first end idle connections, whose clients reconnect at once, and the kernel would reset the
    // new connections in its queue.
    NetServer.prototype.close.call(this.server);
    this.closedAt = performance.now();
    held.serve();
    // First read the requests that have arrived on idle connections.
    await nextTurn();
    this.server.closeIdleConnections();
    return isQuiet;
  }

  end(): void {
    this.endReaping?.();
  }

  /**
   * From now on the server accepts connections and does not answer on them. Clients that connect again after each answer
   * would keep the listener from becoming quiet.
   * @returns a function that serves them; how many are held
   */
  private holdConnections(): { serve: () => void; count: () => number } {
    const { server } = this;
    const held: Socket[] = [];
    // The client may reset it meanwhile.
    const hold = (socket: Socket): void => void held.push(socket.on('error', () => undefined).pause());
    const listeners = server.listeners('connection') as ((socket: Socket) => void)[];
    server.removeAllListeners('connection').on('connection', hold);
    const serve = (): void => {
      server.off('connection', hold);
      for (const listener of listeners) server.on('connection', listener);
      for (const socket of held) {
        if (socket.destroyed) continue;
        server.emit('connection', socket);
        socket.resume();
      }
    };
    return { serve, count: () => held.length };
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
