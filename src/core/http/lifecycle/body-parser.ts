import { isUtf8 } from 'node:buffer';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError } from './api-error';

/** 1 MiB. */
export const BODY_LIMIT_BYTES = 1_048_576;
/** 4 MiB: WhatsApp posts batches of up to 3 MB. */
const CALLBACK_LIMIT_BYTES = 4_194_304;

/** Levels of objects and lists in a body; no operation has half as many. Validation recurses: ten thousand exhaust the stack. */
const MAX_LEVELS = 32;

declare module 'fastify' {
  interface FastifyRequest {
    /** The exact bytes received, kept for routes outside /api, which check signatures over them. */
    rawBody?: Buffer;
  }
}

/**
 * JSON bodies. `__proto__` and `constructor` are fields like others here, and to validation unknown ones. An empty body
 * counts as none, whatever its media type: clients set one for operations that take no body, as `curl -X POST -d ''` does.
 * Callbacks keep the exact bytes and parse for themselves.
 */
export function installBodyParser(fastify: FastifyInstance): void {
  const parseJson = fastify.getDefaultJsonParser('ignore', 'ignore');
  fastify.addHook('onRoute', (route) => {
    if (route.url.startsWith('/callbacks/')) route.bodyLimit = CALLBACK_LIMIT_BYTES;
  });
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser<Buffer>(
    /^application\/([\w.-]+\+)?json\b/,
    { parseAs: 'buffer' },
    (request, body, done) => {
      if (request.routeOptions.url?.startsWith('/callbacks/')) {
        request.rawBody = body;
        return done(null, undefined);
      }
      if (body.length === 0) return done(null, undefined);
      const fault = faultOf(request, body);
      if (fault !== undefined) return done(ApiError.malformed(fault), undefined);
      void parseJson(request, body.toString('utf8'), (error, value) => {
        if (error === null && isDeeper(value, MAX_LEVELS)) done(ApiError.malformed('the body is nested too deeply'));
        else done(error, value);
      });
    },
  );
  fastify.addContentTypeParser<Buffer>('*', { parseAs: 'buffer' }, (_request, body, done) => {
    done(body.length === 0 ? null : ApiError.malformed('the body must be application/json'), undefined);
  });
}

/** Why a body cannot be read as JSON, before anybody tries. */
function faultOf({ headers }: FastifyRequest, body: Buffer): string | undefined {
  const encoding = headers['content-encoding'];
  if (encoding && encoding.toLowerCase() !== 'identity') {
    return 'the Content-Encoding header must be identity or left out';
  }
  // Decoding would put replacement characters in its place, and somebody would get them.
  return isUtf8(body) ? undefined : 'the body is not valid UTF-8';
}

/** Whether there are objects or lists in each other on more than so many levels. */
function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1));
}
