import {
  Catch,
  HttpException,
  Logger,
  ServiceUnavailableException,
  type ArgumentsHost,
  type ExceptionFilter,
} from '@nestjs/common';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { Clock } from '../../clock/clock.service';
import { ApiError } from './api-error';
import { failure } from './envelope';
import { isApi } from './request-context';
import { beginRequest, unknownRoute } from './request-hooks';
import { pathOf } from './request-target';

/** What Fastify refuses before a handler runs, in the words of the catalogue. */
const FASTIFY_REASONS: Readonly<Record<string, string>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'the body is larger than 1 MiB',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'the body must be application/json',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'the body does not match its Content-Length',
  FST_ERR_CTP_EMPTY_JSON_BODY: 'the body is empty',
  FST_ERR_CTP_INVALID_JSON_BODY: 'the body is not valid JSON',
};

/** The same where Nest has already made an exception of its own of it. */
const STATUS_REASONS: Readonly<Record<number, string>> = {
  413: FASTIFY_REASONS['FST_ERR_CTP_BODY_TOO_LARGE']!,
  415: FASTIFY_REASONS['FST_ERR_CTP_INVALID_MEDIA_TYPE']!,
};

/** Turns whatever was thrown into an error of the catalogue; what is not one is logged and shown as INTERNAL_ERROR. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  private readonly logger = new Logger(ErrorFilter.name);

  constructor(private readonly clock: Clock) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    // Of a target that is no path, as in `OPTIONS *`, no hook has heard.
    if (!request.gateway) beginRequest(request, reply, this.clock);
    // The health check's own answer: a load balancer wants its status, and its body has no envelope.
    if (thrown instanceof ServiceUnavailableException && !isApi(request)) {
      reply.status(thrown.getStatus()).send(thrown.getResponse());
      return;
    }
    const error = toApiError(thrown, request);
    if (error.code === 'INTERNAL_ERROR') {
      this.logger.error(
        { err: thrown, request: request.gateway.publicId },
        `${request.method} ${pathOf(request.url)} failed`,
      );
    }
    if (reply.sent) return;
    if (error.code === 'RATE_LIMIT_EXCEEDED') {
      const { retry_after_seconds } = error.details as { retry_after_seconds: number };
      reply.header('retry-after', String(retry_after_seconds));
    }
    const body = failure(error, request.gateway.publicId, this.clock, request.gateway.warnings);
    reply.status(error.status).type('application/json; charset=utf-8').send(JSON.stringify(body));
  }
}

function toApiError(thrown: unknown, request: FastifyRequest): ApiError {
  if (thrown instanceof ApiError) return thrown;
  if (thrown instanceof HttpException) return fromHttpException(thrown, request);
  const { code, statusCode } = (thrown ?? {}) as Partial<FastifyError>;
  const reason = code === undefined ? undefined : FASTIFY_REASONS[code];
  if (reason) return ApiError.malformed(reason);
  // A body that broke off has this status.
  if (statusCode === 400) return ApiError.malformed('the body is not valid JSON');
  return new ApiError('INTERNAL_ERROR', null, undefined, { cause: thrown });
}

function fromHttpException(thrown: HttpException, request: FastifyRequest): ApiError {
  const status = thrown.getStatus();
  if (status === 404) return unknownRoute(request);
  if (status < 500) return ApiError.malformed(STATUS_REASONS[status] ?? thrown.message);
  return new ApiError('INTERNAL_ERROR', null, undefined, { cause: thrown });
}
