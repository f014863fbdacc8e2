import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** By connection: the function that refuses the request whose body is being read. */
const refusals = new WeakMap<Socket, () => void>();
const tooSlow = new WeakSet<IncomingMessage>();

/**
 * Calls `refuse` when the body takes too long to arrive: the request itself is then answered, with its id and its audit row.
 * @returns a function that stops this
 */
export function onSlowBody(raw: IncomingMessage, refuse: () => void): () => void {
  const { socket } = raw;
  refusals.set(socket, () => {
    tooSlow.add(raw);
    refuse();
  });
  return () => void refusals.delete(socket);
}

/** Lets the body arrive for as long as its handler waits. @returns a function that stops this */
export function allowSlowBody({ socket }: IncomingMessage): () => void {
  refusals.set(socket, () => undefined);
  return () => void refusals.delete(socket);
}

/** Refuses the request whose body the connection is sending. @returns whether there is such a request */
export function refuseSlowBody(socket: Socket): boolean {
  const refuse = refusals.get(socket);
  refuse?.();
  return refuse !== undefined;
}

/** Whether the request was refused for its slow body: the rest of the body is not awaited. */
export function isTooSlow(raw: IncomingMessage): boolean {
  return tooSlow.has(raw);
}
