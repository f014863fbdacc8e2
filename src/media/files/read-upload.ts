import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { Busboy, type BusboyHeaders } from '@fastify/busboy';
import { ApiError } from '../../core/http/lifecycle/api-error';
import { TOO_SLOW } from '../../core/http/lifecycle/request-body';
import { allowSlowBody } from '../../core/http/hardening/slow-bodies';

/** An upload may take ten minutes, in milliseconds. */
const UPLOAD_MS = 600_000;
/** The longest pause between two bytes, in milliseconds: a slow client is not silent for that long. */
const SILENT_MS = 60_000;
/** Enough for a boundary and the headers that a browser sends with a file, in bytes. */
const HEADER_BYTES = 16_384;

/**
 * Reads the one file of a multipart body while it arrives.
 * @param take reads the stream to its end
 * @throws ApiError INVALID_REQUEST, MISSING_PARAMETER, or what `take` throws
 */
export async function readUpload<T>(
  raw: IncomingMessage,
  take: (file: Readable, filename: string) => Promise<T>,
): Promise<T> {
  const parser = parserOf(raw);
  const settled = Promise.withResolvers<T>();
  const files: Readable[] = [];
  let taken: Promise<T> | undefined;
  const fail = (error: unknown) => {
    settled.reject(error);
    raw.unpipe(parser);
    for (const file of files) file.destroy(error as Error);
  };
  const brokeOff = () => raw.complete || fail(ApiError.malformed('the body broke off'));
  parser.on('file', (_field, file, filename) => {
    files.push(file);
    file.on('error', () => undefined); // its reader gets the error too
    if (taken) return fail(ApiError.malformed('the body must have one file'));
    taken = take(file, unescaped(filename));
    taken.catch(fail);
  });
  parser.on('field', (name) => fail(unknownField(name)));
  parser.on('error', () => fail(ApiError.malformed('the body is not valid multipart/form-data')));
  parser.on('finish', () => settled.resolve(taken ?? Promise.reject(missingFile())));
  raw.on('error', brokeOff).on('close', brokeOff);
  const refuse = () => fail(ApiError.malformed(TOO_SLOW));
  const timer = setTimeout(refuse, UPLOAD_MS);
  // While the body is paused, the gateway is slow to write, not the client.
  const silence = setTimeout(() => (raw.isPaused() ? silence.refresh() : refuse()), SILENT_MS);
  const heard = () => silence.refresh();
  const forget = allowSlowBody(raw);
  if (raw.destroyed) brokeOff();
  raw.on('data', heard).pipe(parser);
  try {
    return await settled.promise;
  } finally {
    clearTimeout(timer);
    clearTimeout(silence);
    forget();
    raw.off('error', brokeOff).off('close', brokeOff).off('data', heard);
  }
}

function parserOf({ headers }: IncomingMessage) {
  const notMultipart = ApiError.malformed('the body must be multipart/form-data');
  if (!/^\s*multipart\/form-data\s*;/i.test(headers['content-type'] ?? '')) throw notMultipart;
  try {
    const limits = { parts: 3, fieldNameSize: 100, fieldSize: 100, headerSize: HEADER_BYTES, headerPairs: 20 };
    return new Busboy({ headers: headers as BusboyHeaders, limits });
  } catch {
    // The header has no boundary.
    throw notMultipart;
  }
}

/** Browsers escape characters that would end the name (WHATWG, multipart/form-data encoding algorithm). */
function unescaped(filename: string | undefined): string {
  return (filename ?? '').replace(/%(22|0D|0A)/gi, (_, code: string) => String.fromCharCode(parseInt(code, 16)));
}

function unknownField(name: string): ApiError<'INVALID_REQUEST'> {
  return new ApiError('INVALID_REQUEST', { fields: [name.slice(0, 100)] });
}

function missingFile(): ApiError<'MISSING_PARAMETER'> {
  return new ApiError('MISSING_PARAMETER', { parameter: 'file' });
}
