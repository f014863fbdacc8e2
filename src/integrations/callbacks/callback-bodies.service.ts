import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Semaphore } from '#http-client';
import { repeat } from '../../core/clock/repeat';
import { ApiError } from '../../core/http/lifecycle/api-error';
import { refuseSlowBody } from '../../core/http/hardening/slow-bodies';
import { isJson, NOT_JSON } from '../../core/http/lifecycle/body-parser';
import { hasBody, readBody } from '../../core/http/lifecycle/request-body';

/** WhatsApp posts batches of up to 3 MB. */
export const CALLBACK_LIMIT_KIB = 4_096;
/** A longer body waits until few enough long bodies are being read, in KiB. */
export const SHORT_KIB = 64;
/** How many long bodies are read at once. */
export const LONG_AT_ONCE = 4;

/** In every interval of this many milliseconds, a body must reach `LEAST_KIB_PER_SECOND`, or the request is refused. */
export const SPEED_CHECK_MS = 5_000;
export const LEAST_KIB_PER_SECOND = 4;
/** A long body is never refused for a waiting one before this many milliseconds: until then its speed is unknown. */
const GRACE_MS = 250;

/** A body that is being read. */
class Reading {
  readonly since = performance.now();
  private readonly bytesBefore: number;

  constructor(private readonly socket: Socket) {
    this.bytesBefore = socket.bytesRead;
  }

  get bytes(): number {
    return this.socket.bytesRead - this.bytesBefore;
  }

  /** In bytes per millisecond. */
  speed(now: number): number {
    return this.bytes / (now - this.since);
  }

  /** Answers the request with INVALID_REQUEST and closes its connection. */
  refuse(): void {
    refuseSlowBody(this.socket);
  }
}

/**
 * Reads the bodies of callbacks. A signature covers the whole body, so a stranger can make the gateway buffer 4 MiB.
 * Only a few long bodies are therefore read at a time, and the others wait on their connections. A slow body keeps its
 * place only until another callback needs it.
 */
@Injectable()
export class CallbackBodies {
  private readonly long = new Semaphore(LONG_AT_ONCE);
  private readonly longReadings = new Set<Reading>();
  /** Long bodies that wait for a place. */
  private waiting = 0;
  /** Stops the checks for slow bodies, which run while a long body waits. */
  private endLooks?: () => void;

  /** @throws ApiError INVALID_REQUEST if it is too long, not JSON or too late */
  async read(request: FastifyRequest, reply: FastifyReply): Promise<Buffer> {
    const { raw } = request;
    if (!hasBody(raw)) return Buffer.alloc(0);
    try {
      if (!isJson(request)) throw ApiError.malformed(NOT_JSON);
      // A chunked body has no Content-Length and may have any size.
      const isShort = Number(raw.headers['content-length'] ?? Infinity) <= SHORT_KIB * 1_024;
      return await (isShort ? readInTime(raw, new Reading(raw.socket)) : this.readLong(raw));
    } catch (error) {
      // The client may still be sending the body.
      reply.header('connection', 'close');
      throw error;
    }
  }

  private async readLong(raw: IncomingMessage): Promise<Buffer> {
    this.waiting += 1;
    const read = this.long.run(async () => {
      this.waiting -= 1;
      const reading = new Reading(raw.socket);
      this.longReadings.add(reading);
      try {
        return await readInTime(raw, reading);
      } finally {
        this.longReadings.delete(reading);
      }
    });
    this.endLooks ??= repeat(GRACE_MS, () => this.makeRoom());
    this.makeRoom();
    return read;
  }

  /** Refuses as many of the slowest long bodies as other bodies are waiting. */
  private makeRoom(): void {
    if (this.waiting === 0) {
      this.endLooks?.();
      this.endLooks = undefined;
      return;
    }
    const now = performance.now();
    const slowestFirst = [...this.longReadings]
      .filter(({ since }) => now - since >= GRACE_MS)
      .toSorted((one, other) => one.speed(now) - other.speed(now));
    for (const reading of slowestFirst.slice(0, this.waiting)) {
      this.longReadings.delete(reading);
      reading.refuse();
    }
  }
}

async function readInTime(raw: IncomingMessage, reading: Reading): Promise<Buffer> {
  let bytesSeen = 0;
  const endLooks = repeat(SPEED_CHECK_MS, () => {
    const isSlow = reading.bytes - bytesSeen < (LEAST_KIB_PER_SECOND * 1_024 * SPEED_CHECK_MS) / 1_000;
    bytesSeen = reading.bytes;
    if (isSlow) reading.refuse();
  });
  try {
    return await readBody(raw, CALLBACK_LIMIT_KIB);
  } finally {
    endLooks();
  }
}
