import type { ChildProcess } from 'node:child_process';
import { subscribe } from 'node:diagnostics_channel';
import type { Server } from 'node:net';
import { untilQuiet } from './until-quiet';

/** Node's handle of a connection. */
interface Connection {
  close(done?: () => void): void;
}

/** Node's handle of a listener. */
interface Listener extends Connection {
  onconnection(error: number, connection?: Connection): void;
}

/** https://nodejs.org/api/diagnostics_channel.html#net */
const LISTENS = 'tracing:net.server.listen:asyncEnd';

/**
 * The connections that the primary has accepted and no worker has taken. Node's cluster forgets those of a worker that died, and drops
 * all when the last worker closes its listener.
 */
export class AcceptedConnections {
  /** With the listener of each. */
  private readonly waiting = new Map<Connection, Listener>();
  private readonly listeners = new Set<Listener>();
  /** Connections that come in a stop, until the listeners are closed. */
  private held?: (() => void)[];
  private empty?: () => void;

  /** Call it before the first worker starts. */
  watch(): void {
    subscribe(LISTENS, (message) => {
      const { server } = message as { server: Server & { _handle: Listener } };
      const listener = server._handle;
      // Until then Node's cluster has not set what the listener does with a connection.
      server.once('listening', () => process.nextTick(() => this.add(listener)));
    });
  }

  /** When a worker dies, another one gets the connections that it has not taken: it has read nothing of them. */
  follow(worker: ChildProcess): void {
    const given = new Set<Connection>();
    const send = worker.send.bind(worker) as (message: unknown, handle?: unknown, ...rest: unknown[]) => boolean;
    worker.send = (message: unknown, handle?: unknown, ...rest: unknown[]) => {
      for (const connection of given) if (!this.waiting.has(connection)) given.delete(connection);
      if (this.waiting.has(handle as Connection)) given.add(handle as Connection);
      return send(message, handle, ...rest);
    };
    // Not at `exit`: the worker's last answers may still be in the pipe.
    worker.once('close', () => {
      for (const connection of given) this.handOverAgain(connection);
    });
  }

  /**
   * Closes the listeners when no connection waits in the kernel. Until then it keeps new connections: clients that connect
   * again after each answer would never let it become quiet. Resolves when workers have taken all connections.
   * @returns false when clients kept connecting until the time was up
   */
  async end(): Promise<boolean> {
    const held: (() => void)[] = [];
    this.held = held;
    const isQuiet = await untilQuiet(() => held.length);
    for (const listener of this.listeners) listener.close();
    for (const distribute of held) distribute();
    delete this.held;
    if (this.waiting.size > 0) await new Promise<void>((resolve) => (this.empty = resolve));
    return isQuiet;
  }

  private add(listener: Listener): void {
    this.listeners.add(listener);
    const distribute = listener.onconnection.bind(listener);
    listener.onconnection = (error, connection) => {
      if (connection && !this.waiting.has(connection)) this.accept(connection, listener);
      if (this.held) this.held.push(() => distribute(error, connection));
      else distribute(error, connection);
    };
    atClose(listener, () => this.listeners.delete(listener));
  }

  /** Node's cluster closes the primary's handle when a worker has taken the connection. */
  private accept(connection: Connection, listener: Listener): void {
    this.waiting.set(connection, listener);
    atClose(connection, () => {
      this.waiting.delete(connection);
      if (this.waiting.size === 0) this.empty?.();
    });
  }

  /** Without a worker that could take it, it is closed: the client can connect again. */
  private handOverAgain(connection: Connection): void {
    const listener = this.waiting.get(connection);
    if (!listener) return;
    if (this.listeners.has(listener)) listener.onconnection(0, connection);
    else connection.close();
  }
}

function atClose(handle: Connection, task: () => void): void {
  handle.close = (done) => {
    task();
    Reflect.deleteProperty(handle, 'close');
    handle.close(done);
  };
}
