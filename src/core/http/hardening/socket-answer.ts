import { STATUS_CODES, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { newUuid, toPublicId } from '#contracts';
import type { Clock } from '../../clock/clock.service';
import type { ApiError, RateLimitError } from '../lifecycle/api-error';
import { failure } from '../lifecycle/envelope';
import { NO_STORE, securityHeaders } from '../lifecycle/request-hooks';

/** A refused client may read the answer for this long while it still writes, in milliseconds. */
const LINGER_MS = 1_000;

/**
 * Writes a refusal if a request has only a socket and no reply object, and ends the connection.
 * @param lingers whether the client may write for another moment: closing a connection with unread data resets it, and the
 *   client might not see the refusal
 * @returns the answer's request id as a UUID; undefined if nothing could be written
 */
export function answerOnSocket(socket: Socket, refusal: ApiError, clock: Clock, lingers = true): string | undefined {
  // Not into the middle of another answer.
  if (socket.destroyed || !socket.writable || isAnswering(socket)) {
    socket.destroy();
    return undefined;
  }
  const uuid = newUuid(clock.now());
  const id = toPublicId('request', uuid);
  const body = JSON.stringify(failure(refusal, id, clock));
  const headers: Record<string, string | number> = {
    ...securityHeaders(socket instanceof TLSSocket),
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    'x-request-id': id,
    'cache-control': NO_STORE,
    connection: 'close',
    ...retryAfter(refusal),
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const head = `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}\r\n${lines.join('\r\n')}`;
  const destroy = () => void socket.destroy();
  socket.end(`${head}\r\n\r\n${body}`, lingers ? undefined : destroy);
  // A client that never ends its side would keep the socket open.
  const timer = setTimeout(destroy, LINGER_MS).unref();
  socket.once('close', () => clearTimeout(timer));
  return uuid;
}

/** Whether a part of an answer is written, but not its end. Node itself checks `_httpMessage` before it answers a client error. */
function isAnswering({ _httpMessage: answer }: Socket & { _httpMessage?: ServerResponse | null }): boolean {
  return answer?.headersSent === true && !answer.writableEnded;
}

function retryAfter({ code, details }: ApiError): Record<string, number> {
  const seconds = code === 'RATE_LIMIT_EXCEEDED' ? (details as RateLimitError['details']).retry_after_seconds : null;
  return seconds === null ? {} : { 'retry-after': seconds };
}
