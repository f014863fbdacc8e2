import type { Deadline } from './deadline';
import { GatewayError } from '../errors';

export interface Envelope {
  success: true;
  data: unknown;
  meta: object;
}

/** @throws GatewayError for any answer but a successful one */
export async function readEnvelope(response: Response, deadline: Deadline): Promise<Envelope> {
  const body = parse(await deadline.step(response.text()));
  if (!response.ok || (body as Partial<Envelope> | undefined)?.success !== true) {
    throw GatewayError.of(response.status, body, response.headers);
  }
  deadline.end();
  return body as Envelope;
}

/** A body that is still arriving, and its deadline. */
export interface OpenStream {
  reader: ReadableStreamDefaultReader<Uint8Array>;
  deadline: Deadline;
}

/** @throws GatewayError for an answer that is not a stream: an error before the first event is an ordinary answer */
export async function openStream(response: Response, deadline: Deadline): Promise<OpenStream> {
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
  if (response.ok && isStream && response.body) {
    return { reader: response.body.getReader(), deadline };
  }
  throw GatewayError.of(response.status, parse(await deadline.step(response.text())), response.headers);
}

/** @throws GatewayError for any answer but the bytes of a file */
export async function openFile(response: Response, deadline: Deadline): Promise<OpenStream> {
  if (response.ok && response.body) return { reader: response.body.getReader(), deadline };
  throw GatewayError.of(response.status, parse(await deadline.step(response.text())), response.headers);
}

/** Reads a body piece by piece. The request ends when the caller stops reading. */
export async function* piecesOf({ reader, deadline }: OpenStream): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    for (;;) {
      deadline.resume();
      const { done, value } = await deadline.step(reader.read());
      deadline.pause();
      if (done) return;
      yield value;
    }
  } finally {
    deadline.end();
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
