import type { Socket } from 'node:net';

/**
 * How many bytes one answer may have, head included: far more than the gateway reads. undici limits only headers and
 * body: an endless reason phrase or endless 1xx answers would keep a processor and the network busy until the timeout.
 */
const LIMIT_BYTES = 262_144;

/** Closes a connection on which a receiver sends more than the limit in answer to one request. */
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
  // After undici has begun to listen: it would miss earlier data.
  setImmediate(() => socket.on('readable', check));
}
