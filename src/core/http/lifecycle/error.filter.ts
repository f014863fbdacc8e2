import {
  Catch,
  HttpException,
  Logger,
  ServiceUnavailableException,
  type ArgumentsHost,
  type ExceptionFilter,
} from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Clock } from '../../clock/clock.service';
import { Metrics } from '../../observability/metrics.service';
import { ApiError, RateLimitError } from './api-error';
import { failure } from './envelope';
import { isApi } from './request-context';
import { beginRequest, unknownRoute } from './request-hooks';
import { pathOf } from './request-target';

/** Answers with errors of the catalogue. It logs any other error and answers with INTERNAL_ERROR. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  private readonly logger = new Logger(ErrorFilter.name);

  constructor(
    private readonly clock: Clock,
    private readonly metrics: Metrics,
  ) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    // A platform's listener failed: nestjs-telegraf or necord, which called it, must get the error.
    if (host.getType() !== 'http') throw thrown;
    const http = host.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    // No hook runs for a target that is not a path, as in `OPTIONS *`.
    if (!request.gateway) beginRequest(request, reply, this.clock);
    // The health check's own answer: a load balancer reads its status, and its body has no envelope.
    if (thrown instanceof ServiceUnavailableException && !isApi(request)) {
      reply.status(thrown.getStatus()).send(thrown.getResponse());
      return;
    }
    const error = toApiError(thrown, request);
    if (error.code === 'INTERNAL_ERROR') {
      this.logger.error(
        { err: thrown, request_id: request.gateway.publicId },
        `${request.method} ${pathOf(request.url)} failed`,
      );
    }
    if (error instanceof RateLimitError) this.metrics.refused(error.refusedBy);
    if (reply.sent) return;
    if (error.code === 'RATE_LIMIT_EXCEEDED') {
      const { retry_after_seconds } = error.details as { retry_after_seconds: number | null };
      if (retry_after_seconds !== null) reply.header('retry-after', String(retry_after_seconds));
    }
    const body = failure(error, request.gateway.publicId, this.clock, request.gateway.warnings);
    reply.status(error.status).type('application/json; charset=utf-8').send(JSON.stringify(body));
  }
}

function toApiError(thrown: unknown, request: FastifyRequest): ApiError {
  if (thrown instanceof ApiError) return thrown;
  if (thrown instanceof HttpException) return fromHttpException(thrown, request);
  return new ApiError('INTERNAL_ERROR', null, undefined, { cause: thrown });
}

function fromHttpException(thrown: HttpException, request: FastifyRequest): ApiError {
  const status = thrown.getStatus();
  if (status === 404) return unknownRoute(request);
  if (status < 500) return ApiError.malformed(thrown.message);
  return new ApiError('INTERNAL_ERROR', null, undefined, { cause: thrown });
}
