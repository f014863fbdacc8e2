import type { ServerResponse } from 'node:http';
import { applyDecorators, Injectable, UseInterceptors } from '@nestjs/common';
import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { finalize, type Observable } from 'rxjs';
import { RateLimitError } from '../lifecycle/api-error';
import { callerOf } from '../lifecycle/request-context';

/** Bytes that all answers to one key may hold in memory at once; a single answer may be larger. */
export const KEY_ANSWER_BYTES = 8_388_608;
/** The longest message, in bytes: 16,384 characters of four. */
const ITEM_BYTES = 65_536;
/** How long a request waits for earlier answers to be read, in milliseconds. */
export const TURN_MS = 10_000;

interface Waiting {
  bytes: number;
  begin(): void;
}

/** The answers to one key that are being made or read. */
interface Turns {
  bytes: number;
  waiting: Set<Waiting>;
}

/** The most items that the answer to a query can hold. */
type ItemsOf = (query: Readonly<Record<string, string | undefined>>) => number;

const Items = Reflector.createDecorator<ItemsOf>();

/** Makes a handler's answers with message texts wait for their turn: all answers to one key may hold 8 MiB at once. */
export function AnswersInTurn(items: ItemsOf): MethodDecorator {
  return applyDecorators(Items(items), UseInterceptors(AnswerTurns));
}

/** The number in a query, if validation will accept it; else 0. */
export function countOf(text: string | undefined, fallback: number, most: number): number {
  const count = Number(text ?? fallback);
  return count > 0 && count <= most ? count : 0;
}

/** By key. Nest makes an interceptor for each module that uses it, but a key has one limit over all of them. */
@Injectable()
export class AnswersOfKeys {
  readonly turns = new Map<string, Turns>();
}

/** Without it, a client that asks for the longest pages and reads none of them would keep them all in memory. */
@Injectable()
export class AnswerTurns implements NestInterceptor {
  constructor(
    private readonly reflector: Reflector,
    private readonly answers: AnswersOfKeys,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> | Promise<Observable<unknown>> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const { raw } = http.getResponse<FastifyReply>();
    const items = this.reflector.get(Items, context.getHandler());
    const bytes = items(request.query as Record<string, string | undefined>) * ITEM_BYTES;
    if (bytes === 0) return next.handle();
    const { keyId } = callerOf(request);
    const turns = this.answers.turns.get(keyId) ?? { bytes: 0, waiting: new Set<Waiting>() };
    this.answers.turns.set(keyId, turns);
    // A turn ends when the answer is made and read. An answer that has begun is finished even if the client has gone.
    const handle = () => {
      const end = () => this.end(keyId, turns, bytes);
      if (raw.closed) {
        end();
        throw tooManyUnread();
      }
      let open = 2;
      const part = () => {
        open -= 1;
        if (open === 0) end();
      };
      raw.once('close', part);
      return next.handle().pipe(finalize(part));
    };
    if (turns.bytes === 0 || turns.bytes + bytes <= KEY_ANSWER_BYTES) {
      turns.bytes += bytes;
      return handle();
    }
    return this.waitIn(turns, bytes, raw).then(handle);
  }

  private waitIn(turns: Turns, bytes: number, raw: ServerResponse): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const giveUp = () => {
      turns.waiting.delete(waiting);
      reject(tooManyUnread());
    };
    const waiting = { bytes, begin: resolve };
    turns.waiting.add(waiting);
    const timer = setTimeout(giveUp, TURN_MS);
    // The client has gone: no answer is made.
    raw.once('close', giveUp);
    return promise.finally(() => {
      clearTimeout(timer);
      raw.off('close', giveUp);
    });
  }

  private end(keyId: string, turns: Turns, bytes: number): void {
    turns.bytes -= bytes;
    for (const next of turns.waiting) {
      if (turns.bytes > 0 && turns.bytes + next.bytes > KEY_ANSWER_BYTES) break;
      turns.waiting.delete(next);
      turns.bytes += next.bytes;
      next.begin();
    }
    if (turns.bytes === 0) this.answers.turns.delete(keyId);
  }
}

function tooManyUnread(): RateLimitError {
  return new RateLimitError(
    'unread_answers',
    { limit: KEY_ANSWER_BYTES, window_seconds: TURN_MS / 1_000, retry_after_seconds: 1 },
    'The client of this key has not read earlier responses.',
  );
}
