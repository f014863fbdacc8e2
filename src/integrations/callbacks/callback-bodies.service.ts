import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Semaphore } from '#http-client';
import { ApiError } from '../../core/http/lifecycle/api-error';
import { isJson, NOT_JSON } from '../../core/http/lifecycle/body-parser';
import { hasBody, readBody } from '../../core/http/lifecycle/request-body';

/** WhatsApp posts batches of up to 3 MB. */
export const CALLBACK_LIMIT_KIB = 4_096;
/** A longer body waits for its turn, in KiB. */
export const SHORT_KIB = 64;
/** How many long bodies are kept at once. */
export const LONG_AT_ONCE = 4;

/**
 * Reads the bodies of callbacks. A signature is proven over the whole body, so a stranger may have 4 MiB kept: only a few
 * long ones are read at a time, and the others wait on their connections.
 */
@Injectable()
export class CallbackBodies {
  private readonly long = new Semaphore(LONG_AT_ONCE);

  /** @throws ApiError INVALID_REQUEST if it is too long, not JSON or too late */
  async read(request: FastifyRequest, reply: FastifyReply): Promise<Buffer> {
    const { raw } = request;
    if (!hasBody(raw)) return Buffer.alloc(0);
    try {
      if (!isJson(request)) throw ApiError.malformed(NOT_JSON);
      const read = () => readBody(raw, CALLBACK_LIMIT_KIB);
      // Without a length, a body comes in chunks and may be of any.
      const isShort = Number(raw.headers['content-length'] ?? Infinity) <= SHORT_KIB * 1_024;
      return await (isShort ? read() : this.long.run(read));
    } catch (error) {
      // The client may be sending more of it.
      reply.header('connection', 'close');
      throw error;
    }
  }
}
