import { STATUS_CODES, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { newUuid, toPublicId } from '#contracts';
import type { Clock } from '../../clock/clock.service';
import { ApiError } from '../lifecycle/api-error';
import { failure } from '../lifecycle/envelope';
import { securityHeaders } from '../lifecycle/request-hooks';

/** The refusals of Node's HTTP parser, as errors of the catalogue. */
const REASONS: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: 'the headers or the URL are too large',
  ERR_HTTP_REQUEST_TIMEOUT: 'the request took too long to arrive',
};

/** Answers malformed requests in the envelope. They have no reply object, only the socket. */
export const answerClientError =
  (clock: () => Clock) =>
  (error: NodeJS.ErrnoException, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) return void socket.destroy();
    const id = toPublicId('request', newUuid(clock().now()));
    const refusal = ApiError.malformed(REASONS[error.code ?? ''] ?? 'it is not valid HTTP');
    const body = JSON.stringify(failure(refusal, id, clock()));
    const headers = {
      ...securityHeaders(socket instanceof TLSSocket),
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
      'x-request-id': id,
      connection: 'close',
    };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    socket.end(`HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}\r\n${lines.join('\r\n')}\r\n\r\n${body}`);
  };

/** An `Expect` header other than `100-continue` is an ordinary fault of the request; Node would answer 417. */
export function admitExpectations(server: Server): void {
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
}
