import type { IncomingMessage } from 'node:http';
import { finished } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { hasBody } from '../lifecycle/request-body';
import { isTooSlow } from './slow-bodies';

/** 16 MiB. */
const MOST_BYTES = 16_777_216;
const LONGEST_MS = 2_000;
/** The rest of a stranger's body is awaited for less. */
const STRANGERS_MS = 500;
/** Bytes of unauthenticated bodies that are read (and discarded) per second, in total. */
const STRANGERS_BYTES = 16_777_216;

/**
 * Reads and discards the rest of a request's body before the answer: up to 16 MiB, for up to two seconds (a stranger's: half
 * a second). Closing a connection with unread data resets it (RFC 9112, 9.6), and a client that writes its whole body before
 * it reads would never see the refusal. If many strangers send at once, their bodies are not read to the end.
 */
export function readUnreadBodies(fastify: FastifyInstance): void {
  const strangers = new Allowance();
  fastify.addHook('onSend', (request, reply, payload, done) => {
    const { raw } = request;
    if (raw.complete || !hasBody(raw) || isTooSlow(raw)) return done(null, payload);
    discard(raw, request.gateway?.caller ? undefined : strangers, (isAll) => {
      if (!isAll) reply.header('connection', 'close');
      done(null, payload);
    });
  });
}

/** Counts bytes per second. */
class Allowance {
  private second = 0;
  private bytes = 0;

  /** @returns whether the bytes are within the allowance */
  take(bytes: number): boolean {
    const second = Math.floor(performance.now() / 1_000);
    if (second !== this.second) this.bytes = 0;
    this.second = second;
    this.bytes += bytes;
    return this.bytes <= STRANGERS_BYTES;
  }
}

function discard(body: IncomingMessage, allowance: Allowance | undefined, done: (isAll: boolean) => void): void {
  let bytes = 0;
  const count = (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > MOST_BYTES || allowance?.take(chunk.length) === false) end(false);
  };
  const end = (isAll: boolean) => {
    clearTimeout(timer);
    stopWaiting();
    body.off('data', count);
    if (!isAll) body.pause();
    done(isAll);
  };
  const timer = setTimeout(end, allowance ? STRANGERS_MS : LONGEST_MS, false);
  const stopWaiting = finished(body, { writable: false }, () => end(true));
  // A reader that refused the body has paused it.
  body.on('data', count).resume();
}
