import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { newUuid, toPublicId } from '#contracts';
import type { Clock } from '../clock/clock';
import { ApiError } from './api-error';
import { corsHeaders } from './cors';
import { failure } from './envelope';
import { isSecure, securityHeaders, unknownRoute } from './request-hooks';

/**
 * Answers what the router refuses before any hook runs: a malformed URL, a path parameter of absurd length.
 * @param origins whose pages may read the answer
 */
export const answerRouterError =
  (origins: readonly string[], clock: () => Clock) =>
  (error: FastifyError, request: FastifyRequest, reply: FastifyReply): void => {
    const id = toPublicId('request', newUuid(clock().now()));
    const refusal =
      error.code === 'FST_ERR_BAD_URL' ? ApiError.malformed('the URL is malformed') : unknownRoute(request);
    void reply
      .status(refusal.status)
      .headers(securityHeaders(isSecure(request)))
      .headers({ ...corsHeaders(request.headers.origin, origins), 'x-request-id': id })
      .type('application/json; charset=utf-8')
      .send(JSON.stringify(failure(refusal, id, clock())));
  };
