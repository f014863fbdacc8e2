import type { Socket } from 'node:net';

/**
 * What one answer may send, in bytes, with its head and whatever is not part of its body: far more than is read of any.
 * undici limits headers and body, and nothing else: a reason phrase or 1xx answers without end would keep a processor and
 * the network busy until the time is up.
 */
const LIMIT_BYTES = 262_144;

/** Cuts a connection on which a receiver sends more than the limit since it was last asked. */
export function limitAnswers(socket: Socket): void {
  let asked = 0;
  let base = 0;
  const check = () => {
    if (socket.bytesWritten !== asked) {
      asked = socket.bytesWritten;
      base = socket.bytesRead;
    } else if (socket.bytesRead - base > LIMIT_BYTES) {
      socket.destroy(new Error('The answer is too large'));
    }
  };
  // After undici has begun to listen: what came before it did would not be announced to it again.
  setImmediate(() => socket.on('readable', check));
}
