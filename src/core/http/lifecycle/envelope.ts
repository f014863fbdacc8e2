import type { FastifyRequest } from 'fastify';
import type { ErrorCode, ErrorDetails } from '#contracts';
import type { Clock } from '../../clock/clock.service';
import type { Warning } from './request-context';

/** A handler's result that adds to the `meta` of the answer, e.g. a page of a list. */
export abstract class DataWithMeta {
  abstract readonly data: unknown;
  abstract readonly meta: object;
}

/** The body of an answer: `{success, data, meta}`. */
export function success(request: FastifyRequest, payload: unknown, clock: Clock) {
  const meta = metaOf(request.gateway.publicId, clock, request.gateway.warnings);
  return payload instanceof DataWithMeta
    ? { success: true, data: payload.data, meta: { ...meta, ...payload.meta } }
    : { success: true, data: payload, meta };
}

/** The body of an error answer. The bodies of 401 and 403 carry no `meta`. */
export function failure<C extends ErrorCode>(
  error: { code: C; status: number; message: string; details: ErrorDetails[C] },
  publicRequestId: string,
  clock: Clock,
  warnings?: readonly Warning[],
) {
  const { code, status, message, details } = error;
  const body = { success: false, error: { code, message, details } };
  if (status === 401 || status === 403) return body;
  return { ...body, meta: metaOf(publicRequestId, clock, warnings) };
}

function metaOf(requestId: string, clock: Clock, warnings?: readonly Warning[]) {
  const meta = { request_id: requestId, timestamp: clock.date().toISOString() };
  return warnings ? { ...meta, warnings } : meta;
}
