import { PassThrough, type Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ERRORS } from '#contracts';
import type { Clock } from '../../clock/clock.service';
import { ApiError } from './api-error';
import { failure, success } from './envelope';

/**
 * Whether the client asks for server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html): it must
 * name their media type, and not prefer JSON (RFC 9110, 12.5.1).
 */
export function wantsEventStream({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
  const weights = weightsOf(headers.accept ?? '');
  const events = weights.get('text/event-stream') ?? 0;
  const json = weights.get('application/json') ?? weights.get('application/*') ?? weights.get('*/*') ?? 0;
  return events > 0 && events >= json;
}

/** Media range → weight. */
function weightsOf(accept: string): Map<string, number> {
  return new Map(
    accept.split(',').map((range) => {
      const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
      const weight = parameters.find((parameter) => parameter.startsWith('q='));
      return [type, weight === undefined ? 1 : Number(weight.slice(2))];
    }),
  );
}

export interface StreamedWork<T> {
  /**
   * Does the work, and emits the events before its result.
   * @param signal aborts when the client disconnects
   */
  run(emit: (event: string, data: unknown) => void, signal: AbortSignal): Promise<T>;
}

/** Aborts when the client disconnects before it has its whole answer (with a stream of events: before the last event). */
export function signalOfClient(request: FastifyRequest, { raw }: FastifyReply): AbortSignal {
  const gone = new AbortController();
  const left = () => {
    if (raw.writableFinished) return;
    request.gateway.hasClientLeft = true;
    gone.abort(new Error('the client has disconnected'));
  };
  if (raw.closed) left();
  else raw.once('close', left);
  return gone.signal;
}

/**
 * Answers with server-sent events: the events of the work, then `result` with the envelope. A failure before the first event
 * is an ordinary error answer with its status; a later failure is an `error` event with the same body.
 * @returns the body of the answer
 */
export async function answerWithEvents<T>(
  request: FastifyRequest,
  reply: FastifyReply,
  clock: Clock,
  work: StreamedWork<T>,
): Promise<Readable> {
  const stream = new PassThrough();
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  let started = false;
  const emit = (event: string, data: unknown) => {
    started = true;
    begin();
    if (!stream.destroyed) stream.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  };
  const done = work.run(emit, signalOfClient(request, reply)).then(
    (result) => emit('result', success(request, result, clock)),
    (error: unknown) => {
      if (!started) throw error;
      emit('error', failure(errorOf(error), request.gateway.publicId, clock, request.gateway.warnings));
    },
  );
  // Rejects if the work fails before its first event: then the answer is an ordinary error.
  await Promise.race([begun, done]);
  void done.finally(() => stream.end());
  eventStreamHeaders(reply);
  return stream;
}

/** Sets the headers of an answer that is a stream of events. */
export function eventStreamHeaders(reply: FastifyReply): void {
  void reply
    .header('content-type', 'text/event-stream; charset=utf-8')
    .header('cache-control', 'no-store, no-transform')
    // nginx would buffer the events.
    .header('x-accel-buffering', 'no');
}

function errorOf(error: unknown) {
  if (error instanceof ApiError) return error;
  return { code: 'INTERNAL_ERROR', details: null, ...ERRORS.INTERNAL_ERROR } as const;
}
