import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { EntityManager } from 'typeorm';
import { tryLockForTransaction } from '../database/advisory-locks';
import { databaseErrorOf } from '../database/connections/data-fault';
import { Clock } from '../clock/clock.service';
import { DAY_MS } from '../clock/timeline';
import { Timers } from '../work/timers/timers.service';
import { firstIdOf, timeOf } from './id-times';
import {
  createPartition,
  dropPartition,
  hasRowsElsewhere,
  LIMIT_LOCK,
  LOCK_NOT_AVAILABLE,
  lockPartition,
  PARTITION_KEYS,
  PARTITIONS,
  type PartitionedTable,
  type PartitionRow,
} from './partitions.rows';

const LOOK_MS = 3_600_000;
/** The length of a partition's time. The first one begins in 1970. */
const PERIOD_MS = 28 * DAY_MS;
/** Partitions are there for so long ahead. */
const AHEAD_MS = 28 * DAY_MS;
const TRIES = 5;
const BETWEEN_TRIES_MS = 200;

/** @returns false: the partition must stay for now */
export type BeforeDrop = (rows: EntityManager, until: Date) => Promise<boolean>;

/** Makes the partitions of the tables that grow with time, and drops old ones. No other class knows of partitions. */
@Injectable()
export class Partitions implements OnModuleInit {
  private readonly logger = new Logger(Partitions.name);

  constructor(
    private readonly rows: EntityManager,
    private readonly clock: Clock,
    timers: Timers,
  ) {
    timers.every('The partitions of the time to come', LOOK_MS, () => this.createAhead());
  }

  /** After a long stop there are none of the present: they are made before it has rows. */
  async onModuleInit(): Promise<void> {
    await this.createAhead();
  }

  /** Makes those of the time to come. Rows of a time without one are in the partition that takes everything else. */
  async createAhead(): Promise<void> {
    for (const table of Object.keys(PARTITION_KEYS) as PartitionedTable[]) {
      try {
        await this.createFor(table);
      } catch (err) {
        this.logger.error({ err, table }, `The partitions of ${table} to come could not be made`);
      }
    }
  }

  /**
   * Drops what is older as a whole, oldest first. Where a lock is not free, it is left for the next time.
   * @param beforeDrop runs in the transaction of each drop
   */
  async dropBefore(table: PartitionedTable, before: Date, beforeDrop?: BeforeDrop): Promise<void> {
    for (const { name, until } of await this.of(table)) {
      if (until === null || timeOf(until) > before) return;
      const isGone = await this.whenFree(async (rows) => {
        await rows.query(lockPartition(name));
        if (beforeDrop && !(await beforeDrop(rows, timeOf(until)))) return false;
        await rows.query(dropPartition(name));
        return true;
      });
      if (!isGone) return;
    }
  }

  private async createFor(table: PartitionedTable): Promise<void> {
    const partitions = await this.of(table);
    const other = partitions.find(({ until }) => until === null)!.name;
    const now = this.clock.now();
    for (let from = periodOf(now); from < now + AHEAD_MS; from += PERIOD_MS) {
      const [first, until] = [firstIdOf(new Date(from)), firstIdOf(new Date(from + PERIOD_MS))];
      if (partitions.some((made) => (made.from ?? '') <= first && (made.until ?? '') > first)) continue;
      const name = `${table}_from_${new Date(from).toISOString().slice(0, 10).replaceAll('-', '')}`;
      await this.whenFree(async (rows) => {
        if ((await rows.query<unknown[]>(hasRowsElsewhere(table, other, first, until))).length > 0) return true;
        for (const text of createPartition(table, name, first, until)) await rows.query(text);
        return true;
      });
    }
  }

  private of(table: PartitionedTable): Promise<PartitionRow[]> {
    return this.rows.query<PartitionRow[]>(PARTITIONS, [table]);
  }

  /** A transaction of one instance at a time. @returns what `work` says; false where a lock was not free */
  private async whenFree(work: (rows: EntityManager) => Promise<boolean>): Promise<boolean> {
    for (let tries = 1; tries <= TRIES; tries++) {
      try {
        return await this.rows.transaction(async (rows) => {
          await rows.query(LIMIT_LOCK);
          return (await tryLockForTransaction(rows, 'partitions')) && work(rows);
        });
      } catch (error) {
        if (databaseErrorOf(error)?.code !== LOCK_NOT_AVAILABLE) throw error;
        await sleep(BETWEEN_TRIES_MS);
      }
    }
    return false;
  }
}

const periodOf = (time: number): number => Math.floor(time / PERIOD_MS) * PERIOD_MS;
