import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '../../clock/clock.service';
import { ApiError } from '../lifecycle/api-error';
import { withoutMapping } from '../lifecycle/client-address';
import { TOO_SLOW } from '../lifecycle/request-body';
import { readRefused, type RefusedRequest } from './refused-bytes';
import { refuseSlowBody } from './slow-bodies';
import { answerOnSocket } from './socket-answer';

const TIMED_OUT = 'ERR_HTTP_REQUEST_TIMEOUT';

/** https://nodejs.org/api/http.html#event-clienterror */
interface ParserError extends NodeJS.ErrnoException {
  rawPacket?: Buffer;
  bytesParsed?: number;
}

/** A request that never reached the router. */
export interface ParserRefusal extends RefusedRequest {
  /** UUID form. */
  requestId: string;
  clientIp: string;
  status: number;
}

/** The refusals of Node's HTTP parser, as errors of the catalogue. */
const REASONS: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: 'the headers or the URL are too large',
  [TIMED_OUT]: TOO_SLOW,
};

/** Answers malformed requests, and those that exceed a time limit, in the envelope. */
export const answerClientError =
  (clock: () => Clock, onRefused: (refusal: ParserRefusal) => void) =>
  ({ code = '', rawPacket, bytesParsed }: ParserError, socket: Socket): void => {
    if (code === 'ECONNRESET') return void socket.destroy();
    if (code === TIMED_OUT && refuseSlowBody(socket)) return;
    // The rest of a request that timed out must not be parsed as a new request.
    const refusal = ApiError.malformed(REASONS[code] ?? 'it is not valid HTTP');
    const clientIp = withoutMapping(socket.remoteAddress ?? '');
    const requestId = answerOnSocket(socket, refusal, clock(), code !== TIMED_OUT);
    // A connection that sent no bytes sent no request.
    if (requestId === undefined || socket.bytesRead === 0) return;
    const { status } = refusal;
    onRefused({ requestId, clientIp, status, ...(rawPacket && readRefused(rawPacket, bytesParsed)) });
  };

/** An `Expect` header other than `100-continue` is an ordinary fault of the request; Node would answer 417. */
export function admitExpectations(server: Server): void {
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
}
