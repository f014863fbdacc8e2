import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { Client } from 'pg';
import { EntityManager } from 'typeorm';
import { tryLockForTransaction } from '../database/advisory-locks';
import { databaseErrorOf } from '../database/connections/data-fault';
import { DIRECT_CONNECTION, DirectUrl } from '../database/connections/direct-connection';
import { Clock } from '../clock/clock.service';
import { DAY_MS } from '../clock/timeline';
import { Timers } from '../work/timers/timers.service';
import { firstIdOf, timeOf } from './id-times';
import {
  addBound,
  createPartition,
  dropBound,
  dropPartition,
  hasRowsElsewhere,
  hasValidBound,
  isSmall,
  LIMIT_LOCK,
  LOCK_NOT_AVAILABLE,
  lockPartition,
  PARTITION_KEYS,
  PARTITIONS,
  type PartitionedTable,
  type PartitionRow,
  validateBound,
} from './partitions.rows';

const LOOK_MS = 3_600_000;
/** The period of a partition. The first period begins in 1970. */
const PERIOD_MS = 28 * DAY_MS;
/** How far ahead partitions are made. */
const AHEAD_MS = 28 * DAY_MS;
const TRIES = 5;
const BETWEEN_TRIES_MS = 200;

/** @returns false: the partition must stay for now */
export type BeforeDrop = (rows: EntityManager, until: Date) => Promise<boolean>;

/** Makes the partitions of the tables that grow with time, and drops old ones. No other class handles partitions. */
@Injectable()
export class Partitions implements OnModuleInit {
  private readonly logger = new Logger(Partitions.name);

  constructor(
    private readonly rows: EntityManager,
    private readonly clock: Clock,
    private readonly directUrl: DirectUrl,
    timers: Timers,
  ) {
    timers.every('The partitions of the time to come', LOOK_MS, () => this.createAhead());
  }

  /**
   * After a long stop the current period has no partition: the start makes it before it has rows, but does not wait for long
   * reads.
   */
  async onModuleInit(): Promise<void> {
    await this.createAhead(false);
  }

  /**
   * Makes the partitions of coming periods. Rows of a period without a partition go to the default partition.
   * @param mayReadOther whether it may read the default partition if that is large
   */
  async createAhead(mayReadOther = true): Promise<void> {
    for (const table of Object.keys(PARTITION_KEYS) as PartitionedTable[]) {
      try {
        await this.createFor(table, mayReadOther);
      } catch (err) {
        this.logger.error({ err, table }, `Future partitions of ${table} could not be created`);
      }
    }
  }

  /**
   * Drops older partitions, oldest first. A partition whose lock is not free waits for the next run.
   * @param beforeDrop runs in the transaction of each drop
   */
  async dropBefore(table: PartitionedTable, before: Date, beforeDrop?: BeforeDrop): Promise<void> {
    for (const { name, until } of await this.of(table)) {
      if (until === null || timeOf(until) > before) return;
      const isGone = await this.ifUnlocked(async (rows) => {
        await rows.query(lockPartition(name));
        if (beforeDrop && !(await beforeDrop(rows, timeOf(until)))) return false;
        await rows.query(dropPartition(name));
        return true;
      });
      if (!isGone) return;
    }
  }

  private async createFor(table: PartitionedTable, mayReadOther: boolean): Promise<void> {
    const now = this.clock.now();
    for (let from = periodOf(now); from < now + AHEAD_MS; from += PERIOD_MS) {
      const [first, until] = [firstIdOf(new Date(from)), firstIdOf(new Date(from + PERIOD_MS))];
      const partitions = await this.of(table);
      const other = partitions.find((made) => made.until === null)!.name;
      if (isCovered(partitions, first)) continue;
      const name = `${table}_from_${new Date(from).toISOString().slice(0, 10).replaceAll('-', '')}`;
      const create = async (rows: EntityManager) => {
        for (const text of createPartition(table, name, first, until)) await rows.query(text);
      };
      const needsBound = await this.ifUnlocked(async (rows) => {
        if (isCovered(await this.of(table, rows), first)) return false;
        // Left by a run that crashed.
        await rows.query(dropBound(other));
        if (await isTrue(rows, hasRowsElsewhere(table, other, first, until))) return false;
        if (await isTrue(rows, isSmall(other))) {
          await create(rows);
          return false;
        }
        // The bound refuses rows of the period: it must be gone before the period begins.
        if (!mayReadOther || from < now + DAY_MS) return false;
        await rows.query(addBound(table, other, first, until));
        return true;
      });
      if (!needsBound) continue;
      await this.runDirectly(validateBound(other));
      await this.ifUnlocked(async (rows) => {
        if (!(await isTrue(rows, hasValidBound(other)))) return false;
        await create(rows);
        await rows.query(dropBound(other));
        return true;
      });
    }
  }

  /** Outside the pool, whose statements have a time limit. */
  private async runDirectly(text: string): Promise<void> {
    const client = new Client({ ...DIRECT_CONNECTION, connectionString: this.directUrl.value });
    client.on('error', () => undefined); // the statement fails as well
    try {
      await client.connect();
      await client.query(text);
    } finally {
      await client.end().catch(() => undefined);
    }
  }

  private of(table: PartitionedTable, rows = this.rows): Promise<PartitionRow[]> {
    return rows.query<PartitionRow[]>(PARTITIONS, [table]);
  }

  /** Runs a transaction on one instance at a time. @returns the result of `work`; false if a lock was not free */
  private async ifUnlocked(work: (rows: EntityManager) => Promise<boolean>): Promise<boolean> {
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

const isCovered = (partitions: readonly PartitionRow[], id: string): boolean =>
  partitions.some(({ from, until }) => (from ?? '') <= id && (until ?? '') > id);

const isTrue = async (rows: EntityManager, query: string): Promise<boolean> =>
  (await rows.query<unknown[]>(query)).length > 0;
