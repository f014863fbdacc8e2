import { Injectable } from '@nestjs/common';
import { ENVIRONMENTS } from '#contracts';
import { Bindings } from '../../core/database/bindings';
import { composedStatement, Database } from '../../core/database/database.service';
import { type PeriodicJob, PeriodicJobs } from '../../core/jobs/periodic-jobs.service';
import { partitionsOf, partitionSql, type Partition } from './partition';
import { WATERMARK } from '../watermark';

const INTERVAL_MS = 10_000;

/** Messages between two ranks of a stream: what a list reads at most to find a place. */
export const CHECKPOINT_DISTANCE = 1_000;

/** Messages ranked by one statement, which a stop waits for. */
const BATCH = 50_000;

/** Lists without filters are the most common: their streams come first. */
const STREAMS = ENVIRONMENTS.flatMap(partitionsOf).toSorted((a, b) => filters(a) - filters(b));

/**
 * Continues the ranks of a stream as far as its messages are settled: a rank is a fact that no longer changes. Instances
 * that do this at the same time find the same, and insert it in the same order.
 */
export function extendCheckpoints(stream: Partition): { text: string; values: unknown[] } {
  const bindings = new Bindings();
  const { ranks, rows, firstRows } = partitionSql(stream, bindings);
  const key = [
    bindings.bind(stream.environment, 'environment'),
    bindings.bind(stream.platform ?? '*', 'text'),
    bindings.bind(stream.direction ?? '*', 'text'),
  ].join(', ');
  const since = '(SELECT since FROM bounds)';
  const text = `
    WITH ${bindings.given},
    last AS (SELECT at, rank FROM message_ranks WHERE ${ranks} ORDER BY at DESC LIMIT 1),
    bounds AS (
      SELECT coalesce((SELECT at FROM last), '-infinity') AS since, coalesce((SELECT rank FROM last), 0) AS rank,
        ${WATERMARK} AS until
    ),
    -- Of the last rank's very moment. Apart, so that a batch always leads on, however many share one moment.
    same AS (SELECT count(*) AS messages FROM (${rows(`created_at = ${since}`)}) m),
    batch AS (
      SELECT created_at, rank() OVER moments - 1 AS earlier, row_number() OVER moments AS place
      FROM (${firstRows(`created_at > ${since} AND created_at < (SELECT until FROM bounds)`, 'created_at', String(BATCH))}) m
      WINDOW moments AS (ORDER BY created_at)
    ),
    added AS (
      INSERT INTO message_ranks (environment, platform, direction, at, rank)
      SELECT DISTINCT ${key}, created_at, bounds.rank + same.messages + earlier
      FROM batch, same, bounds WHERE (same.messages + place) % ${CHECKPOINT_DISTANCE} = 0
      ORDER BY created_at
      ON CONFLICT DO NOTHING
    )
    SELECT count(*)::int AS read FROM batch`;
  return { text, values: bindings.values };
}

/** Keeps the ranks that totals and deep pages of messages are found by. */
@Injectable()
export class PositionCheckpoints {
  private readonly job: PeriodicJob;
  /** Streams that this turn has not yet brought up to date. */
  private due: Partition[] = [];

  constructor(
    private readonly database: Database,
    jobs: PeriodicJobs,
  ) {
    this.job = jobs.every('The ranking of messages', INTERVAL_MS, () => this.rankBatch());
  }

  /** Ranks what is old enough. */
  rank(): Promise<void> {
    return this.job.run();
  }

  /** A stream that fails is left to the next round: the turn after this one goes on with those behind it. */
  private async rankBatch(): Promise<boolean> {
    if (this.due.length === 0) this.due = [...STREAMS];
    const stream = this.due.shift()!;
    const { text, values } = extendCheckpoints(stream);
    const [row] = await this.database.query<{ read: number }>(composedStatement('messages-rank', text), values);
    if (row!.read >= BATCH) this.due.unshift(stream);
    return this.due.length > 0;
  }
}

function filters({ platform, direction }: Partition): number {
  return Number(platform !== undefined) + Number(direction !== undefined);
}
