import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { Busboy, type BusboyHeaders } from '@fastify/busboy';
import { ApiError } from '../../core/http/lifecycle/api-error';
import { TOO_SLOW } from '../../core/http/lifecycle/request-body';
import { allowSlowBody } from '../../core/http/hardening/slow-bodies';
import { watchPace } from './upload-pace';

/** An upload may take ten minutes, in milliseconds. */
const UPLOAD_MS = 600_000;
/** Bytes before the first part, and again after the file. */
const OUTSIDE_BYTES = 65_536;
/** Enough for a boundary and the headers that a browser sends with a file, in bytes. */
const HEADER_BYTES = 16_384;

/**
 * Reads the one file of a multipart body while it arrives. The first failure decides the outcome; later ones, also of streams
 * that are then destroyed, are ignored.
 * @param take reads the stream to its end
 * @throws ApiError INVALID_REQUEST, MISSING_PARAMETER, or what `take` throws
 */
export async function readUpload<T>(
  raw: IncomingMessage,
  take: (file: Readable, filename: string) => Promise<T>,
): Promise<T> {
  const parser = parserOf(raw);
  const outcome = Promise.withResolvers<T>();
  outcome.promise.catch(() => undefined); // it may fail before this function waits for it
  const files: Readable[] = [];
  let taken: Promise<T> | undefined;
  let outside = 0;
  const fail = (error: unknown) => {
    outcome.reject(error);
    raw.off('data', read).pause();
    for (const file of files) file.destroy(error as Error);
  };
  const isBetweenFiles = () => files.every((file) => file.readableEnded);
  const read = (chunk: Buffer) => {
    const wasBetween = isBetweenFiles();
    try {
      if (!parser.write(chunk)) raw.pause();
    } catch (error) {
      return fail(error);
    }
    if (wasBetween && isBetweenFiles()) outside += chunk.length;
    if (outside > OUTSIDE_BYTES) fail(ApiError.malformed('there are more than 64 KiB before or after the file'));
  };
  const brokeOff = () => raw.complete || fail(ApiError.malformed('the body ended early'));
  const ended = () => parser.end();
  parser.on('file', (_field, file, filename) => {
    files.push(file);
    file.on('error', () => undefined); // its reader gets the error too
    if (taken) return fail(ApiError.malformed('the body must have one file'));
    outside = 0;
    taken = take(file, unescaped(filename));
    taken.catch(fail);
  });
  parser.on('field', (name) => fail(notAFile(name)));
  parser.on('error', () => fail(ApiError.malformed('the body is not valid multipart/form-data')));
  parser.on('drain', () => raw.resume());
  parser.on('finish', () => (taken ? outcome.resolve(taken) : fail(missingFile())));
  const refuse = () => fail(ApiError.malformed(TOO_SLOW));
  const timer = setTimeout(refuse, UPLOAD_MS);
  const endPace = watchPace(raw, refuse);
  const forget = allowSlowBody(raw);
  raw.on('error', brokeOff).on('close', brokeOff).on('end', ended).on('data', read);
  if (raw.destroyed) brokeOff();
  try {
    return await outcome.promise;
  } finally {
    clearTimeout(timer);
    endPace();
    forget();
    raw.off('error', brokeOff).off('close', brokeOff).off('end', ended).off('data', read);
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

/** A part without a filename, as `curl -F file=invoice.pdf` sends it. @param name undefined if the part has none */
function notAFile(name: string | undefined): ApiError<'INVALID_REQUEST'> {
  if (name === undefined || name === '' || name === 'file')
    return ApiError.malformed('the part is not a file, because it has no filename');
  return new ApiError('INVALID_REQUEST', { fields: [name.slice(0, 100)] });
}

function missingFile(): ApiError<'MISSING_PARAMETER'> {
  return new ApiError('MISSING_PARAMETER', { parameter: 'file' });
}
