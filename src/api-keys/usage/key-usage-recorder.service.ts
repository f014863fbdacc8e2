import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Clock } from '../../core/clock/clock.service';
import { isCertainlyUndone } from '../../core/database/connections/connection-lost';
import { Database } from '../../core/database/database.service';
import type { ResponseListener } from '../../core/http/lifecycle/on-response-sent';
import { statusOf } from '../../core/http/lifecycle/request-context';
import { Batcher } from '../../core/work/batcher';
import { RECORD_USE } from '../api-key.rows';

const FLUSH_MS = 1_000;
/** Uses held while the database is unavailable; past that the oldest are not counted. */
const CAPACITY = 50_000;
const BATCH = 5_000;
const HOUR_MS = 3_600_000;
const REFUSALS: ReadonlySet<number> = new Set([401, 403, 429]);

/** One request with a key. */
interface Use {
  id: string;
  /** Unix milliseconds */
  at: number;
  address: string;
  isRefused: boolean;
}

/** Counts what keys are used for, and notes when and from where: at most one write per second, regardless of traffic. */
@Injectable()
export class KeyUsageRecorder implements ResponseListener, BeforeApplicationShutdown {
  private readonly logger = new Logger(KeyUsageRecorder.name);
  private readonly uses = new Batcher<Use>((uses) => this.write(uses), {
    gatherMs: FLUSH_MS,
    retryMs: FLUSH_MS,
    size: BATCH,
    capacity: CAPACITY,
    onFailure: (err) => this.logger.debug({ err }, 'Key usage could not be recorded'),
  });

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  answered(request: FastifyRequest, reply: FastifyReply): void {
    const { caller, clientIp } = request.gateway ?? {};
    if (!caller) return;
    const isRefused = REFUSALS.has(statusOf(request, reply));
    this.uses.push({ id: caller.keyId, at: this.clock.now(), address: clientIp, isRefused });
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.uses.close();
  }

  private async write(uses: readonly Use[]): Promise<void> {
    try {
      await this.database.query(RECORD_USE, [JSON.stringify(byHour(uses))]);
    } catch (error) {
      // Written twice, a use would count twice.
      if (isCertainlyUndone(error)) throw error;
      this.logger.warn({ err: error }, 'Key usage may be incomplete');
    }
  }
}

/** Sorted: instances lock the same rows in the same order, so that two writes never deadlock. */
function byHour(uses: readonly Use[]) {
  const rows = new Map<
    string,
    { id: string; hour: Date; requests: number; refusals: number; at: Date; address: string }
  >();
  for (const { id, at, address, isRefused } of uses) {
    const hour = new Date(Math.floor(at / HOUR_MS) * HOUR_MS);
    const name = `${id} ${hour.toISOString()}`;
    const { requests, refusals } = rows.get(name) ?? { requests: 0, refusals: 0 };
    const counts = { requests: requests + 1, refusals: refusals + Number(isRefused) };
    rows.set(name, { id, hour, ...counts, at: new Date(at), address });
  }
  return [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
}
