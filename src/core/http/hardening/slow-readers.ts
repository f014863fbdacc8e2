import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** All in milliseconds, except for the rate. */
export interface ReadingLimits {
  /** A client that reads nothing of its answer for this long is cut off. */
  unreadMs: number;
  /** The same for a client that has ended its side. */
  endedMs: number;
  /** A client must read a long answer within this time, plus its length at the rate below. */
  readingMs: number;
  leastBytesPerMs: number;
}

export const READING_LIMITS: ReadingLimits = {
  unreadMs: 5_000,
  endedMs: 1_000,
  readingMs: 20_000,
  leastBytesPerMs: 64,
};
/** A shorter answer mostly fits into the system's buffers. */
const LONG_BYTES = 65_536;

/**
 * Cuts off clients that do not read their answers, which stay in memory until then. Streams limit their own memory, and may
 * be silent for long.
 */
export function cutSlowReaders(fastify: FastifyInstance, limits = READING_LIMITS): void {
  const { unreadMs, endedMs, readingMs, leastBytesPerMs } = limits;
  fastify.addHook('onSend', (request, reply, payload, done) => {
    // Within this call Fastify runs the last hooks and writes the answer.
    done(null, payload);
    const { raw } = reply;
    const bytes = lengthOf(payload);
    // The client went while the answer was made: a timer would keep the whole answer in memory until it runs out.
    if (bytes === undefined || raw.closed) return;
    // Most answers are in the system's buffers by now.
    if (raw.writableEnded && raw.writableLength === 0) return;
    const { socket } = request.raw;
    // Node's own timer also counts progress within a write. When the answer ends, the keep-alive timer replaces it. A
    // pipelined request may be under way then and take longer, so the timer is removed.
    socket.setTimeout(socket.readableEnded ? endedMs : unreadMs);
    raw.once('finish', () => {
      if (socket.timeout === unreadMs) socket.setTimeout(0);
    });
    if (bytes > LONG_BYTES) cutLate(socket, readingMs + bytes / leastBytesPerMs, raw);
  });
  const { server } = fastify;
  const onEnd = (socket: Socket) => void socket.once('end', () => socket.setTimeout(endedMs));
  // The event whose socket carries HTTP.
  server.on('setSecureContext' in server ? 'secureConnection' : 'connection', onEnd);
}

/** Undefined for a stream, which limits its own memory. */
function lengthOf(payload: unknown): number | undefined {
  return typeof payload === 'string' || Buffer.isBuffer(payload) ? payload.length : undefined;
}

function cutLate(socket: Socket, ms: number, answer: NodeJS.EventEmitter): void {
  const timer = setTimeout(() => void socket.destroy(), ms).unref();
  answer.once('close', () => clearTimeout(timer));
}
