import type { IncomingMessage } from 'node:http';
import { finished } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { hasBody } from '../lifecycle/request-body';

/** 16 MiB. */
const MOST_BYTES = 16_777_216;
const LONGEST_MS = 2_000;

/**
 * Reads and discards the rest of a request's body before the answer: up to 16 MiB, for up to two seconds. Closing a
 * connection with unread data resets it (RFC 9112, 9.6), and a client that writes its whole body before it reads would
 * never see the refusal.
 */
export function readUnreadBodies(fastify: FastifyInstance): void {
  fastify.addHook('onSend', (request, reply, payload, done) => {
    const { raw } = request;
    if (raw.complete || !hasBody(raw)) return done(null, payload);
    discard(raw, (isAll) => {
      if (!isAll) reply.header('connection', 'close');
      done(null, payload);
    });
  });
}

function discard(body: IncomingMessage, done: (isAll: boolean) => void): void {
  let bytes = 0;
  const count = (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > MOST_BYTES) end(false);
  };
  const end = (isAll: boolean) => {
    clearTimeout(timer);
    stopWaiting();
    body.off('data', count);
    done(isAll);
  };
  const timer = setTimeout(end, LONGEST_MS, false);
  const stopWaiting = finished(body, { writable: false }, () => end(true));
  body.on('data', count);
}
