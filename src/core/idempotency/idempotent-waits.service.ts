import { hash } from 'node:crypto';
import { Injectable, Logger, type BeforeApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Database } from '../database/database.service';
import { ANNOUNCE_ALL, DatabaseListener } from '../database/database-listener.service';
import { ApiError } from '../http/lifecycle/api-error';
import { Batcher } from '../jobs/batcher';
import { AWAIT, type StoredRow } from './idempotency-rows';
import { IdempotentWait } from './idempotent-wait';

const TOPIC = 'idempotency';
/** An instance announces the ends of awaited requests at most 20 times a second. */
const GATHER_MS = 50;

/** API key and idempotency key. */
export type Owner = readonly [string, string];

/** One wait for each key that requests of this instance wait for. Another instance announces the end of what is awaited. */
@Injectable()
export class IdempotentWaits implements OnModuleInit, BeforeApplicationShutdown {
  private readonly logger = new Logger(IdempotentWaits.name);
  private readonly waits = new Map<string, IdempotentWait>();
  /** An announcement that is lost costs the waiting instance two seconds. */
  private readonly ends = new Batcher<string>((names) => this.announce(names), {
    gatherMs: GATHER_MS,
    onFailure: (err) => this.logger.debug({ err }, 'The end of an idempotent request could not be announced'),
  });

  constructor(
    private readonly database: Database,
    private readonly listener: DatabaseListener,
  ) {}

  onModuleInit(): void {
    this.listener.on(TOPIC, (name) => this.waits.get(name)?.look());
    this.listener.onResync(() => {
      for (const wait of this.waits.values()) wait.look();
    });
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.ends.flush();
  }

  has(owner: Owner): boolean {
    return this.waits.has(nameOf(owner));
  }

  /**
   * Waits until the first request under the key has ended, or the client has gone.
   * @returns the row that answers the request; undefined if the request is to claim the key
   */
  async next(owner: Owner, fingerprint: Buffer, { raw }: FastifyReply): Promise<StoredRow | undefined> {
    const name = nameOf(owner);
    let wait = this.waits.get(name);
    if (!wait) {
      wait = new IdempotentWait(
        async () => (await this.database.query<StoredRow>(AWAIT, [...owner]))[0],
        () => this.waits.delete(name),
      );
      this.waits.set(name, wait);
    }
    let closed = () => {};
    const answer = wait.join(fingerprint, (gone) => {
      closed = () => gone(ApiError.malformed('the client has gone'));
      raw.once('close', closed);
    });
    try {
      return await answer;
    } finally {
      raw.off('close', closed);
    }
  }

  /** @param isAwaited whether another instance may wait */
  ended(owner: Owner, isAwaited: boolean): void {
    const name = nameOf(owner);
    this.waits.get(name)?.look();
    if (isAwaited) this.ends.push(name);
  }

  private announce(names: readonly string[]): Promise<unknown> {
    return this.database.query(ANNOUNCE_ALL, [TOPIC, [...new Set(names)]]);
  }
}

/** Idempotency keys may be long, and are the client's. */
function nameOf(owner: Owner): string {
  return hash('sha256', JSON.stringify(owner), 'base64');
}
