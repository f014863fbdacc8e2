import type { Socket } from 'node:net';

/**
 * Closes a connection on which a server sends more than the limit in answer to one request, head included. undici limits
 * only headers and body: an endless reason phrase or endless 1xx answers would keep a processor and the network busy
 * until the timeout.
 */
export function limitAnswers(socket: Socket, limitBytes: number): void {
  let asked = 0;
  let base = 0;
  const check = () => {
    if (socket.bytesWritten !== asked) {
      asked = socket.bytesWritten;
      base = socket.bytesRead;
    } else if (socket.bytesRead - base > limitBytes) {
      socket.destroy(new Error('The answer is too large'));
    }
  };
  // After undici has begun to listen: it would miss earlier data.
  setImmediate(() => socket.on('readable', check));
}
