import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { Hostility } from './hostile-receiver.fake';

const HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n';
/** 50 MB of zeros. Compressed once, because that takes long. */
const BOMB = gzipSync(Buffer.alloc(50_000_000));
const BLOCK = Buffer.alloc(65_536, 'x');
/** Milliseconds between two bytes of a slow receiver: far below any idle timeout. */
const DRIP_MS = 20;
const HEADERS_BYTES = 100_000_000;

/** Sends a text after the first request, and closes the connection. */
export function answers(text: string): Hostility {
  return async (socket, asked) => {
    await asked();
    socket.end(text);
  };
}

/** Keeps every connection open and never answers. */
export const tarpit: Hostility = () => undefined;

/** Sends a text byte by byte, then `x` for ever. */
export function drips(text: string): Hostility {
  return async (socket, asked) => {
    await asked();
    for (const character of text) {
      if (socket.destroyed) return;
      socket.write(character);
      await sleep(DRIP_MS);
    }
    while (!socket.destroyed) {
      socket.write('x');
      await sleep(DRIP_MS);
    }
  };
}

/** Sends a text, then `block` again and again until `bytes` are sent. */
export function pours(text: string, block: string | Buffer = BLOCK, bytes = Infinity): Hostility {
  return async (socket, asked) => {
    await asked();
    const closed = new Promise<void>((resolve) => void socket.once('close', resolve));
    socket.write(text);
    for (let left = bytes; left > 0 && !socket.destroyed; left -= block.length) {
      if (!socket.write(block)) await Promise.race([drained(socket), closed]);
    }
  };
}

export const endlessBody = (status = '200 OK'): Hostility => pours(`HTTP/1.1 ${status}\r\n\r\n`);
export const endlessHeaders = pours(HEAD, `X-Large: ${'x'.repeat(8_000)}\r\n`, HEADERS_BYTES);
export const endlessStatusLine = pours('HTTP/1.1 200 ', BLOCK, HEADERS_BYTES);
export const interimAnswers = pours('', 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'.repeat(100), HEADERS_BYTES);
export const gzipBomb: Hostility = async (socket, asked) => {
  await asked();
  socket.write(`${HEAD}Content-Encoding: gzip\r\nContent-Length: ${BOMB.length}\r\n\r\n`);
  socket.end(BOMB);
};

/** Resets each connection at once. */
export const resetsAtOnce: Hostility = (socket) => void socket.resetAndDestroy();

/** Resets the connection after the first request. */
export const resetsWhenAsked: Hostility = async (socket, asked) => {
  await asked();
  socket.resetAndDestroy();
};

/** Ends its side of the connection at once, keeps reading, and never answers. */
export const halfCloses: Hostility = (socket) => void socket.end();

/** Answers before the request arrives. */
export function answersEarly(status: string): Hostility {
  return (socket) => void socket.write(`HTTP/1.1 ${status}\r\nContent-Length: 0\r\n\r\n`);
}

/** Sends a second answer, for which there was no request. */
export const answersTwice: Hostility = async (socket, asked) => {
  await asked();
  socket.write('HTTP/1.1 503 Unavailable\r\nContent-Length: 0\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
};

/** Answers the first request on a connection, and closes it at the second. */
export const hangsUpLater: Hostility = async (socket, asked) => {
  await asked();
  socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n');
  await asked();
  socket.end();
};

/** Resolves when the socket has drained or failed. */
async function drained(socket: Socket): Promise<void> {
  await once(socket, 'drain').catch(() => undefined);
}
