import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Clock } from '../core/clock/clock.service';
import { Database } from '../core/database/database.service';
import type { ResponseListener } from '../core/http/lifecycle/on-response-sent';
import { Batcher } from '../core/work/batcher';
import { RECORD_USE } from './api-key.rows';

const FLUSH_MS = 1_000;

type Use = readonly [keyId: string, at: number];

/** Notes when keys were last used: at most one write per second, regardless of traffic. */
@Injectable()
export class KeyUsage implements ResponseListener, BeforeApplicationShutdown {
  private readonly logger = new Logger(KeyUsage.name);
  /** A use that cannot be written is dropped: the next use replaces it. */
  private readonly uses = new Batcher<Use>((uses) => this.write(uses), {
    gatherMs: FLUSH_MS,
    onFailure: (err) => this.logger.debug({ err }, 'The last use of keys could not be noted'),
  });

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  answered({ gateway }: FastifyRequest): void {
    const keyId = gateway?.caller?.keyId;
    if (keyId !== undefined) this.uses.push([keyId, this.clock.now()]);
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.uses.flush();
  }

  private async write(uses: readonly Use[]): Promise<void> {
    // Sorted: instances lock the same rows in the same order, so that two updates never deadlock.
    const last = [...new Map(uses)].sort(([a], [b]) => (a < b ? -1 : 1));
    await this.database.query(RECORD_USE, [last.map(([id]) => id), last.map(([, at]) => new Date(at))]);
  }
}
