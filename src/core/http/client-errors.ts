import { STATUS_CODES, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { newUuid, toPublicId } from '#contracts';
import type { Clock } from '../clock/clock';
import { ApiError } from './api-error';
import { failure } from './envelope';

/** What Node's HTTP parser refuses, in the words of the catalogue. */
const REASONS: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: 'the headers or the URL are too large',
  ERR_HTTP_REQUEST_TIMEOUT: 'the request took too long to arrive',
};

function refusal(reason: string, clock: Clock): { status: number; headers: Record<string, string>; body: string } {
  const id = toPublicId('request', newUuid(clock.now()));
  const error = ApiError.malformed(reason);
  const body = JSON.stringify(failure(error, id, clock));
  return {
    status: error.status,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(Buffer.byteLength(body)),
      'x-request-id': id,
      connection: 'close',
    },
    body,
  };
}

/** Answers bytes that never became a request, in the envelope: there is no reply object yet, only the socket. */
export const answerClientError =
  (clock: () => Clock) =>
  (error: NodeJS.ErrnoException, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) return void socket.destroy();
    const { status, headers, body } = refusal(REASONS[error.code ?? ''] ?? 'it is not valid HTTP', clock());
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('\r\n')}\r\n\r\n${body}`);
  };

/** Answers an `Expect` header other than `100-continue`, for which Node would say 417. */
export function refuseExpectations(server: Server, clock: Clock): void {
  server.on('checkExpectation', (_request: IncomingMessage, response: ServerResponse) => {
    const { status, headers, body } = refusal('the Expect header is not supported', clock);
    response.writeHead(status, headers).end(body);
  });
}
