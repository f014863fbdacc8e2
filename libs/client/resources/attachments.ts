import type { RequestOptions } from '../options';
import type { GatewayPromise, GatewayResponse } from '../response';
import type { Transport } from '../transport/transport';
import type { Attachment } from '../types';

/** The gateway gives an upload this long, in milliseconds. */
const UPLOAD_MS = 600_000;

/** A file to upload: a `Blob` or `File`, its bytes (a `Buffer` too), or a stream of them. */
export type FileToUpload = Blob | Uint8Array | ArrayBuffer | AsyncIterable<Uint8Array>;

export interface UploadOptions extends RequestOptions {
  /** Default: the name of a `File`. */
  filename?: string;
}

export interface DownloadOptions extends RequestOptions {
  /**
   * Positions of the first and the last byte, from 0; without `end`, to the end of the file. A negative `start` counts from the end,
   * without `end`: `-5` asks for the last five bytes.
   */
  range?: { start: number; end?: number };
}

/** The bytes of an attachment, which arrive as they are read. */
export interface AttachmentContent extends AsyncIterable<Uint8Array> {
  /** As the gateway serves it: `application/octet-stream` for types that a browser might run. */
  readonly mimeType: string;
  /** Size of this answer in bytes: that of the range in a partial answer. Undefined if a proxy has removed the length. */
  readonly sizeBytes: number | undefined;
  /** Whether this is only the requested range; otherwise it is the whole file. */
  readonly isPartial: boolean;
  /** The request id and rate limit. */
  readonly response: GatewayResponse;
  /** Reads everything. */
  blob(): Promise<Blob>;
}

export class Attachments {
  /** @internal */
  constructor(private readonly transport: Transport) {}

  /** Send its id in `attachments` of a message. The gateway removes a file that no message has after 24 hours. @throws TypeError for another kind of file */
  upload(file: FileToUpload, { filename, ...options }: UploadOptions = {}): GatewayPromise<Attachment> {
    const { upload, headers } = bodyOf(file, filename);
    return this.transport.call('post', '/api/v1/media', {}, { timeout: UPLOAD_MS, ...options }, { upload, headers });
  }

  get(attachmentId: string, options?: RequestOptions): GatewayPromise<Attachment> {
    const path = { attachment_id: attachmentId };
    return this.transport.call('get', '/api/v1/attachments/{attachment_id}', { path }, options);
  }

  /** The request ends when the caller stops reading. @throws RangeError for a range that names no bytes */
  async download(attachmentId: string, { range, ...options }: DownloadOptions = {}): Promise<AttachmentContent> {
    const path = { attachment_id: attachmentId };
    const headers = range && { range: rangeHeader(range) };
    const { response, pieces: bytes } = await this.transport.file(
      '/api/v1/attachments/{attachment_id}/content',
      { path },
      options,
      headers,
    );
    const length = response.headers.get('content-length');
    const mimeType = response.headers.get('content-type') ?? 'application/octet-stream';
    return {
      mimeType,
      sizeBytes: length === null ? undefined : Number(length),
      isPartial: response.status === 206,
      response,
      [Symbol.asyncIterator]: () => bytes,
      blob: async () => {
        const pieces: Uint8Array<ArrayBuffer>[] = [];
        for await (const piece of bytes) pieces.push(piece as Uint8Array<ArrayBuffer>);
        return new Blob(pieces, { type: mimeType });
      },
    };
  }
}

/** @throws RangeError */
function rangeHeader({ start, end }: NonNullable<DownloadOptions['range']>): string {
  const isLast = Number.isSafeInteger(start) && start < 0 && end === undefined;
  if (isLast) return `bytes=${start}`;
  const isRange =
    Number.isSafeInteger(start) && start >= 0 && (end === undefined || (Number.isSafeInteger(end) && end >= start));
  if (!isRange) throw new RangeError(`the range from ${start} to ${end} is empty`);
  return `bytes=${start}-${end ?? ''}`;
}

/** @throws TypeError */
function bodyOf(file: FileToUpload, filename: string | undefined) {
  if (file instanceof Blob) return formOf(file, filename);
  // A `Buffer` may be a view of memory that is shared; the parts of a `Blob` are copied.
  if (file instanceof Uint8Array || file instanceof ArrayBuffer)
    return formOf(new Blob([new Uint8Array(file)]), filename ?? 'file');
  if (typeof (file as Partial<AsyncIterable<unknown>>)?.[Symbol.asyncIterator] === 'function')
    return streamOf(file, filename);
  throw new TypeError('the file must be a Blob, a byte array or a byte stream');
}

function formOf(file: Blob, filename: string | undefined) {
  const form = new FormData();
  if (filename === undefined) form.append('file', file);
  else form.append('file', file, filename);
  return { upload: form, headers: {} };
}

/** multipart/form-data by hand: a `FormData` would need all bytes in memory. Browsers send streams over HTTP/2 only. */
function streamOf(file: AsyncIterable<Uint8Array>, filename = 'file') {
  const boundary = crypto.randomUUID();
  const name = filename.replaceAll(/[\r\n"]/g, (mark) => encodeURIComponent(mark));
  const text = new TextEncoder();
  async function* body(): AsyncGenerator<Uint8Array> {
    yield text.encode(`--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n\r\n`);
    for await (const piece of file) {
      // `fetch` waits for ever after another value.
      if (!(piece instanceof Uint8Array)) throw new TypeError('the stream must yield bytes');
      yield piece;
    }
    yield text.encode(`\r\n--${boundary}--\r\n`);
  }
  const pieces = body();
  const upload = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      const { done, value } = await pieces.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: async () => void (await pieces.return(undefined)),
  });
  return { upload, headers: { 'content-type': `multipart/form-data; boundary=${boundary}` } };
}
