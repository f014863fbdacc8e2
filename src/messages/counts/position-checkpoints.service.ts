import { Injectable } from '@nestjs/common';
import { ENVIRONMENTS } from '#contracts';
import { composedStatement, Database } from '../../core/database/database.service';
import { type Timer, Timers } from '../../core/work/timers/timers.service';
import { partitionsOf, type Partition } from './partition.rows';
import { BATCH, extendCheckpoints, HAS_RECENT } from './position-checkpoints.rows';

const INTERVAL_MS = 10_000;

/** Lists without filters are the most common: their partitions come first. */
const PARTITIONS = ENVIRONMENTS.flatMap(partitionsOf).toSorted((a, b) => filters(a) - filters(b));

/** Keeps the checkpoints by which lists find totals and deep pages. */
@Injectable()
export class PositionCheckpoints {
  private readonly job: Timer;
  /** Partitions that this round has not yet brought up to date. */
  private due: Partition[] = [];
  private isFirst = true;

  constructor(
    private readonly database: Database,
    timers: Timers,
  ) {
    this.job = timers.every('Message ranking', INTERVAL_MS, () => this.extendNext(), { scope: 'process' });
  }

  /** Adds the checkpoints that the watermark allows. */
  rank(): Promise<void> {
    return this.job.run();
  }

  /** A partition that fails waits for the next round; the next batch continues with the partitions after it. */
  private async extendNext(): Promise<boolean> {
    if (this.due.length === 0) {
      if (!this.isFirst && !(await this.hasRecent())) return false;
      this.due = [...PARTITIONS];
      this.isFirst = false;
    }
    const partition = this.due.shift()!;
    const { text, values } = extendCheckpoints(partition);
    const [row] = await this.database.query<{ read: number }>(composedStatement('messages-rank', text), values);
    if (row!.read >= BATCH) this.due.unshift(partition);
    return this.due.length > 0;
  }

  private async hasRecent(): Promise<boolean> {
    const [row] = await this.database.query<{ recent: boolean }>(HAS_RECENT, []);
    return row!.recent;
  }
}

function filters({ platform, direction }: Partition): number {
  return Number(platform !== undefined) + Number(direction !== undefined);
}
