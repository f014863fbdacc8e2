import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { newUuid, type ErrorCode, type ErrorDetails } from '#contracts';
import { Clock } from '../clock/clock.service';
import { Database } from '../database/database.service';
import { Erasures } from '../erasure/erasures.service';
import { ApiError } from '../http/lifecycle/api-error';
import {
  CLAIM,
  EMPTY_ANSWERS,
  ERASED_COLUMNS,
  EXTEND,
  FIND,
  FINISH,
  GIVE_UP,
  LAPSE,
  LEASE_SECONDS,
  type ClaimRow,
  type StoredRow,
} from './idempotency.rows';
import { Batcher } from '../work/batcher';
import { Lease } from '../work/lease';
import { callerOf } from '../http/lifecycle/request-context';
import { pathOf } from '../http/lifecycle/request-target';

const MAX_KEY_LENGTH = 255;
/** A repeated request looks for the outcome of the first one this often, in milliseconds. */
const POLL_MS = 250;

/** Most claims in one transaction. */
const MOST_TOGETHER = 32;

/** API key and idempotency key. */
type Owner = readonly [string, string];

interface Claim {
  owner: Owner;
  fingerprint: Buffer;
  proposedId: string;
  /** The id under which the key is claimed; undefined if another request has it. */
  id?: string;
}

/** Failures that are replayed. After any other failure nothing was done, and the client may retry with the same key. */
const OUTCOMES: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['AI_PROVIDER_ERROR']);

/** As stored in `idempotent_requests.outcome`. */
type Outcome<T> = { data: T } | { error: { code: ErrorCode; details: ErrorDetails[ErrorCode]; message: string } };

export interface IdempotentWork<T> {
  /** @param resourceId the UUID for the result; undefined without an Idempotency-Key */
  run(resourceId?: string): Promise<T>;
  /**
   * Returns the result of an earlier request, if there is one: of an interrupted request, or of one whose answer is not
   * stored because its result tells it.
   */
  recover?(resourceId: string): Promise<T | undefined>;
  /** Whether `recover` will give this answer for as long as the key is remembered, so that it need not be stored. */
  isRecoverable?(answer: T): boolean;
}

/** Whether the request names an Idempotency-Key. */
export function isIdempotent(request: FastifyRequest): boolean {
  return request.headers['idempotency-key'] !== undefined;
}

/**
 * Replays the answer of the first request to repeated ones, for 24 hours. Without the header it costs nothing.
 *
 * The claim is a row with a lease, so a repeated request waits on any instance; if the process of the first request dies,
 * the repeated request takes over and first looks for an existing result.
 */
@Injectable()
export class Idempotency {
  private readonly logger = new Logger(Idempotency.name);

  /** Requests of this instance that repeat one key share the reads of its row. */
  private readonly looks = new Map<string, Promise<StoredRow | undefined>>();

  /** The claims of concurrent requests share commits. */
  private readonly claims = new Batcher<Claim>((claims) => this.claimAll(claims), { size: MOST_TOGETHER });

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    erasures: Erasures,
  ) {
    erasures.register({
      erases: ERASED_COLUMNS,
      erase: async ({ id }) => {
        await this.database.query(EMPTY_ANSWERS, [id]);
        return true;
      },
    });
  }

  /** @throws ApiError INVALID_REQUEST for another body under the same key */
  async answer<T>(request: FastifyRequest, reply: FastifyReply, work: IdempotentWork<T>): Promise<T> {
    if (!isIdempotent(request)) return work.run();
    const owner = [callerOf(request).keyId, keyOf(request)] as const;
    const fingerprint = fingerprintOf(request);
    for (;;) {
      const claim: Claim = { owner, fingerprint, proposedId: newUuid(this.clock.now()) };
      await this.claims.add(claim);
      const { id } = claim;
      if (id !== undefined) {
        const earlier = id === claim.proposedId ? undefined : await this.recovered(owner, id, work);
        if (earlier) reply.header('idempotent-replayed', 'true');
        return earlier ?? (await this.claimed(owner, id, work));
      }
      const stored = await this.outcomeOf(owner, fingerprint, reply, work);
      if (!stored) continue;
      reply.header('idempotent-replayed', 'true');
      return replay(stored);
    }
  }

  /** By ascending keys, so that instances that claim the same keys do not block each other. */
  private async claimAll(claims: readonly Claim[]): Promise<void> {
    const ordered = claims.toSorted((one, other) => (one.owner.join() < other.owner.join() ? -1 : 1));
    const sets = ordered.map(({ owner, fingerprint, proposedId }) => [...owner, fingerprint, proposedId]);
    const rows = await this.database.together<ClaimRow>(CLAIM, sets);
    rows.forEach(([row], index) => (ordered[index]!.id = row?.resource_id));
  }

  /**
   * Waits until the first request under the key has ended.
   * @returns its outcome; undefined if it did nothing or its process died, so that the key can be claimed
   * @throws ApiError INVALID_REQUEST for another request under the same key, or if the client has gone
   */
  private async outcomeOf<T>(
    owner: Owner,
    fingerprint: Buffer,
    { raw }: FastifyReply,
    work: IdempotentWork<T>,
  ): Promise<Outcome<T> | undefined> {
    for (let pauseMs = 0; ; pauseMs = POLL_MS) {
      const stored = await this.look(owner, pauseMs);
      if (!stored) return undefined;
      if (!stored.fingerprint.equals(fingerprint)) {
        throw ApiError.malformed('the Idempotency-Key was used for another request');
      }
      if (stored.outcome) return stored.outcome as Outcome<T>;
      const data = stored.settled ? await work.recover?.(stored.resource_id) : undefined;
      if (data) return { data };
      if (stored.lapsed) return undefined;
      if (raw.closed) throw ApiError.malformed('the client has gone');
    }
  }

  private look(owner: Owner, pauseMs: number): Promise<StoredRow | undefined> {
    const name = JSON.stringify(owner);
    let look = this.looks.get(name);
    if (!look) {
      look = sleep(pauseMs, undefined, { ref: false })
        .then(() => {
          this.looks.delete(name);
          return this.database.query<StoredRow & Record<string, unknown>>(FIND, [...owner]);
        })
        .then(([stored]) => stored);
      this.looks.set(name, look);
    }
    return look;
  }

  /**
   * The answer to a request whose process died. It is not stored: a pending message may fail later, and the next repetition
   * then reports that.
   */
  private async recovered<T>(owner: Owner, resourceId: string, work: IdempotentWork<T>): Promise<T | undefined> {
    const data = await work.recover?.(resourceId);
    if (data) await this.database.query(LAPSE, [...owner, resourceId]);
    return data;
  }

  private async claimed<T>(owner: Owner, resourceId: string, work: IdempotentWork<T>): Promise<T> {
    const lease = this.hold(owner, resourceId);
    try {
      const data = await work.run(resourceId);
      if (!work.isRecoverable?.(data)) await this.record(owner, resourceId, { data });
      return data;
    } catch (error) {
      await this.recordFailure(owner, resourceId, error);
      throw error;
    } finally {
      lease.end();
    }
  }

  /** A lost lease is noticed when the outcome is recorded. */
  private hold(owner: Owner, resourceId: string): Lease {
    return new Lease(LEASE_SECONDS, async () => {
      await this.database.query(EXTEND, [...owner, resourceId]);
      return true;
    });
  }

  private async recordFailure(owner: Owner, resourceId: string, error: unknown): Promise<void> {
    if (error instanceof ApiError && OUTCOMES.has(error.code)) {
      const { code, details, message } = error;
      return this.record(owner, resourceId, { error: { code, details, message } });
    }
    // After an unexpected error the work may be done: a repeated request recovers it first.
    const statement = error instanceof ApiError ? GIVE_UP : LAPSE;
    await this.database.query(statement, [...owner, resourceId]).catch(() => undefined);
  }

  /** The work is done, so the answer goes out even if it cannot be stored; a repeated request recovers it. */
  private async record<T>(owner: Owner, resourceId: string, outcome: Outcome<T>): Promise<void> {
    try {
      await this.database.query(FINISH, [...owner, resourceId, JSON.stringify(outcome)]);
    } catch (error) {
      this.logger.warn({ err: error }, 'The answer of an idempotent request could not be stored');
    }
  }
}

/** @throws ApiError INVALID_PARAMETER */
function keyOf(request: FastifyRequest): string {
  const key = String(request.headers['idempotency-key']);
  if (key.length >= 1 && key.length <= MAX_KEY_LENGTH) return key;
  throw ApiError.invalidParameter('Idempotency-Key', `must have 1 to ${MAX_KEY_LENGTH} characters`);
}

function fingerprintOf(request: FastifyRequest): Buffer {
  const operation = `${request.method} ${pathOf(request.url)}`;
  return createHash('sha256')
    .update(JSON.stringify([operation, sorted(request.body ?? null)]))
    .digest();
}

/** The order of an object's fields has no meaning. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, field]) => [name, sorted(field)]);
}

function replay<T>(outcome: Outcome<T>): T {
  if ('data' in outcome) return outcome.data;
  const { code, details, message } = outcome.error;
  throw new ApiError(code, details, message);
}
