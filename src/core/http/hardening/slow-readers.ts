import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** All in milliseconds, but for the rate. */
export interface ReadingLimits {
  /** A client that takes nothing of its answer for this long is cut off. */
  unreadMs: number;
  /** One that has ended its side, for this long. */
  endedMs: number;
  /** A long answer is to be read within this, and what its length adds at the rate below. */
  readingMs: number;
  leastBytesPerMs: number;
}

export const READING_LIMITS: ReadingLimits = {
  unreadMs: 5_000,
  endedMs: 1_000,
  readingMs: 20_000,
  leastBytesPerMs: 64,
};
/** A shorter one mostly fits into the buffers of the system. */
const LONG_BYTES = 65_536;

/**
 * Cuts off clients that do not read their answers, which are in memory until then. Another stream bounds what
 * it keeps itself, and may be silent for long.
 */
export function cutSlowReaders(fastify: FastifyInstance, limits = READING_LIMITS): void {
  const { unreadMs, endedMs, readingMs, leastBytesPerMs } = limits;
  fastify.addHook('onSend', (request, reply, payload, done) => {
    // The last hooks and the write follow within.
    done(null, payload);
    const { raw } = reply;
    const bytes = lengthOf(payload);
    // The client went while the answer was made: a timer would keep all of it in memory until it runs out.
    if (bytes === undefined || raw.closed) return;
    // Most answers are in the buffers of the system by now.
    if (raw.writableEnded && raw.writableLength === 0) return;
    const { socket } = request.raw;
    // Node's own timer counts progress within a write, too. With the end of the answer it becomes that of keep-alive,
    // unless a request behind it is under way, which may take longer.
    socket.setTimeout(socket.readableEnded ? endedMs : unreadMs);
    raw.once('finish', () => {
      if (socket.timeout === unreadMs) socket.setTimeout(0);
    });
    if (bytes > LONG_BYTES) cutLate(socket, readingMs + bytes / leastBytesPerMs, raw);
  });
  const { server } = fastify;
  const onEnd = (socket: Socket) => void socket.once('end', () => socket.setTimeout(endedMs));
  // Either is the socket that carries HTTP.
  server.on('setSecureContext' in server ? 'secureConnection' : 'connection', onEnd);
}

/** Undefined: a stream that bounds itself. */
function lengthOf(payload: unknown): number | undefined {
  return typeof payload === 'string' || Buffer.isBuffer(payload) ? payload.length : undefined;
}

function cutLate(socket: Socket, ms: number, answer: NodeJS.EventEmitter): void {
  const timer = setTimeout(() => void socket.destroy(), ms).unref();
  answer.once('close', () => clearTimeout(timer));
}
