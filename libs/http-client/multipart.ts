import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';

/** A request body that is read while it is sent. */
export interface Upload {
  contentType: string;
  /** Size in bytes, announced in the header. */
  length: number;
  /** A new stream, for each attempt. @param sent called when the last byte was read: without it no server has the whole request */
  open(sent: () => void): Readable;
}

export interface FormFile {
  /** The field's name. */
  name: string;
  filename: string;
  mimeType: string;
  sizeBytes: number;
  open(): Readable;
}

/** How much is read ahead of the socket, in bytes. */
const READ_AHEAD = 64 * 1_024;

/**
 * A form of fields and files that is streamed: `FormData` needs files in memory or on this disk.
 * https://html.spec.whatwg.org/multipage/form-control-infrastructure.html#multipart-form-data
 */
export function multipart(fields: Readonly<Record<string, string>>, files: readonly FormFile[]): Upload {
  const boundary = `form-${randomBytes(16).toString('hex')}`;
  const head = Buffer.from(
    Object.entries(fields)
      .map(([name, value]) => `--${boundary}\r\n${disposition(name)}\r\n\r\n${value}\r\n`)
      .join(''),
  );
  const parts = files.map((file) => ({
    file,
    head: Buffer.from(
      `--${boundary}\r\n${disposition(file.name, file.filename)}\r\ncontent-type: ${header(file.mimeType)}\r\n\r\n`,
    ),
  }));
  const end = Buffer.from(`--${boundary}--\r\n`);
  const length = parts.reduce(
    (sum, part) => sum + part.head.length + part.file.sizeBytes + 2,
    head.length + end.length,
  );
  async function* bytes(sent: () => void): AsyncGenerator<Uint8Array> {
    yield head;
    for (const part of parts) {
      yield part.head;
      yield* whole(part.file);
      yield CRLF;
    }
    // Marked before the last bytes are handed over: from here on the server may have them.
    sent();
    yield end;
  }
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    length,
    open: (sent) => Readable.from(bytes(sent), { objectMode: false, highWaterMark: READ_AHEAD }),
  };
}

const CRLF = Buffer.from('\r\n');

/** @throws if the file does not have the size that was announced */
async function* whole(file: FormFile): AsyncGenerator<Uint8Array> {
  const { sizeBytes } = file;
  const stream = file.open();
  let read = 0;
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      read += chunk.length;
      if (read > sizeBytes) break;
      yield chunk;
    }
  } finally {
    stream.destroy();
  }
  if (read !== sizeBytes) throw new Error(`the file does not have the expected ${sizeBytes} bytes`);
}

function disposition(name: string, filename?: string): string {
  const field = `content-disposition: form-data; name="${quoted(name)}"`;
  return filename === undefined ? field : `${field}; filename="${quoted(filename)}"`;
}

/** Escapes as browsers do. */
function quoted(text: string): string {
  return text.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function header(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]/g, '');
}
