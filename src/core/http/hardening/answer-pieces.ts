import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';

declare module '../lifecycle/request-context' {
  interface RequestContext {
    /** The answer may hold many texts of messages. */
    mayAnswerLong?: true;
  }
}

/** A longer answer is made in pieces, in characters. */
const LONG = 262_144;
/** What becomes JSON and UTF-8 in one turn of the event loop, in characters: one or two milliseconds. */
const PIECE = 65_536;
/** `{data: {messages: [item]}}`: an item is made in one piece. */
const ITEM_DEPTH = 3;

/** An answer in pieces of its text, each of which is given up when it is written to the connection. */
export class AnswerInPieces extends Readable {
  /** @param bytes of all pieces in UTF-8 */
  private constructor(
    private readonly pieces: string[],
    readonly bytes: number,
  ) {
    super({ objectMode: true, highWaterMark: 1 });
  }

  /** The JSON of a value, as `JSON.stringify` writes it. */
  static async of(value: unknown): Promise<AnswerInPieces> {
    const pieces: string[] = [];
    let bytes = 0;
    let text = '';
    const add = () => {
      pieces.push(text);
      bytes += Buffer.byteLength(text);
      text = '';
    };
    for (const part of partsOf(value, ITEM_DEPTH)) {
      text += part;
      if (text.length < PIECE) continue;
      add();
      await nextTurn();
    }
    if (text !== '') add();
    return new AnswerInPieces(pieces, bytes);
  }

  override _read(): void {
    this.push(this.pieces.shift() ?? null);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.pieces.length = 0;
    done(error);
  }
}

/**
 * Makes long answers in pieces, each in a turn of its own: a page of the longest messages at once would hold up every other
 * request for a tenth of a second. A piece becomes UTF-8 when the connection takes it.
 */
export function answerInPieces(fastify: FastifyInstance): void {
  fastify.addHook('preSerialization', (request, reply, payload, done) => {
    if (request.gateway?.mayAnswerLong !== true || !isLong(payload)) return done(null, payload);
    const made = (answer: AnswerInPieces) => {
      // Fastify sends a stream that a serializer returns; its declaration knows text alone.
      reply.header('content-length', answer.bytes).serializer(() => answer as never);
      done(null, payload);
    };
    AnswerInPieces.of(payload).then(made, done);
  });
}

function isLong(payload: unknown): boolean {
  return typeof payload === 'object' && payload !== null && lengthOf(payload) > LONG;
}

/** @param depth of lists and objects that are opened */
function* partsOf(value: unknown, depth: number): Generator<string> {
  if (depth === 0 || !isOpened(value)) {
    yield JSON.stringify(value) ?? 'null';
    return;
  }
  const isList = Array.isArray(value);
  let before = isList ? '[' : '{';
  for (const [name, held] of Object.entries(value)) {
    if (!isList && (held === undefined || typeof held === 'function' || typeof held === 'symbol')) continue;
    yield isList ? before : `${before}${JSON.stringify(name)}:`;
    yield* partsOf(held, depth - 1);
    before = ',';
  }
  yield before === ',' ? '' : before;
  yield isList ? ']' : '}';
}

/** Whether `JSON.stringify` goes through its entries. */
function isOpened(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !('toJSON' in value);
}

/** Of all texts in a list or an object, in characters. */
function lengthOf(value: object): number {
  let length = 0;
  for (const held of Object.values(value) as unknown[]) {
    if (typeof held === 'string') length += held.length;
    else if (typeof held === 'object' && held !== null) length += lengthOf(held);
  }
  return length;
}
