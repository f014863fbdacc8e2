import { isUtf8 } from 'node:buffer';
import type { FastifyInstance } from 'fastify';
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
 * JSON bodies, prototype keys refused. An empty body counts as none, so that a client which always sets the media type
 * can call an operation that takes no body. Callbacks keep the exact bytes and parse for themselves.
 */
export function installBodyParser(fastify: FastifyInstance): void {
  const parseJson = fastify.getDefaultJsonParser('error', 'error');
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
      // Decoding would put replacement characters in its place, and somebody would get them.
      if (!isUtf8(body)) return done(ApiError.malformed('the body is not valid UTF-8'), undefined);
      void parseJson(request, body.toString('utf8'), (error, value) => {
        if (error === null && isDeeper(value, MAX_LEVELS)) done(ApiError.malformed('the body is nested too deeply'));
        else done(error, value);
      });
    },
  );
}

/** Whether there are objects or lists in each other on more than so many levels. */
function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1));
}
