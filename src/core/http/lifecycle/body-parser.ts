import { isUtf8 } from 'node:buffer';
import type { FastifyRequest } from 'fastify';
import { ApiError } from './api-error';
import { shapeFault } from '../hardening/body-shape';

/** Longest body of an operation that has no `BodyLimit`, in KiB. */
export const BODY_LIMIT_KIB = 64;

export const NOT_JSON = 'the body must be application/json';
/** The only parameter may be the charset; an empty parameter counts as none (RFC 9110, 5.6.6). */
const JSON_TYPE = /^\s*application\/json\s*(?:;\s*)*(?:;\s*charset=(?:utf-8|"utf-8")\s*(?:;\s*)*)?$/i;

/**
 * Parses a JSON body. `__proto__` and `constructor` are ordinary fields here, and validation refuses them as unknown. An
 * empty body of any media type counts as none: clients send a media type to operations without a body, as
 * `curl -X POST -d ''` does.
 * @throws ApiError INVALID_REQUEST
 */
export function parseBody(request: FastifyRequest, body: Buffer): unknown {
  if (body.length === 0) return undefined;
  if (!isJson(request)) throw ApiError.malformed(NOT_JSON);
  const fault = faultOf(request, body);
  if (fault !== undefined) throw ApiError.malformed(fault);
  return parseJson(body.toString('utf8'));
}

/** Whether the request declares a JSON body. */
export function isJson({ headers }: FastifyRequest): boolean {
  return JSON_TYPE.test(headers['content-type'] ?? '');
}

function parseJson(text: string): unknown {
  try {
    // A parser may ignore a byte order mark (RFC 8259, 8.1); `JSON.parse` does not.
    return JSON.parse(text.startsWith('\ufeff') ? text.slice(1) : text) as unknown;
  } catch {
    throw ApiError.malformed('the body is not valid JSON');
  }
}

/** The reason to refuse a body before the parser reads it. */
function faultOf({ headers }: FastifyRequest, body: Buffer): string | undefined {
  const encoding = headers['content-encoding'];
  if (encoding && encoding.toLowerCase() !== 'identity') {
    return 'the Content-Encoding header must be identity or absent';
  }
  // Decoding would store and send replacement characters.
  return isUtf8(body) ? shapeFault(body) : 'the body is not valid UTF-8';
}
