import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { EntityManager, type ObjectLiteral, type SelectQueryBuilder } from 'typeorm';
import { ENVIRONMENTS, type Environment } from '#contracts';
import { Clock } from '../clock/clock.service';
import { deleteFirstUnlocked } from '../database/first-unlocked';
import { type Timer, Timers } from '../work/timers/timers.service';
import { SettingsService } from '../settings/settings.service';
import { DAY_MS } from '../clock/timeline';
import { Partitions, type BeforeDrop } from './partitions.service';
import type { PartitionedTable } from './partitions.rows';

const FIRST_RUN_MS = 30_000;
const INTERVAL_MS = 3_600_000;

/** Rows that one statement deletes, so that it holds its locks briefly. */
const BATCH = 2_000;

/** Selects the rows that are too old, oldest first. @param before rows before this time are too old */
type OldRows<Row extends ObjectLiteral> = (rows: EntityManager, before: Date) => SelectQueryBuilder<Row>;

/** A setting of how long rows are kept. */
type DaysSetting = 'audit_days' | 'delivery_days' | 'event_days';

/** @returns how many rows it deleted; fewer than `BATCH` when no more are too old */
type Deletion = () => Promise<number>;

/**
 * Deletes old rows: within a minute of the start, at each change of the settings, and hourly. The owner of a table says
 * which rows are old.
 */
@Injectable()
export class Retention {
  private readonly rules: Deletion[] = [];
  private readonly job: Timer;
  /** Rules of the current run that have rows left. A run does not repeat the others: a search that finds nothing takes long. */
  private unfinished: Deletion[] = [];
  /** The settings changed: the next batch of a run in progress begins with the first rule again. */
  private isChanged = false;
  /** Failures of rules in the current run. Those rules run again in the next run. */
  private failures: unknown[] = [];

  constructor(
    private readonly rows: EntityManager,
    private readonly settings: SettingsService,
    private readonly clock: Clock,
    private readonly partitions: Partitions,
    timers: Timers,
  ) {
    this.job = timers.every('Deletion of old rows', INTERVAL_MS, () => this.deleteBatch(), {
      scope: 'process',
      firstMs: FIRST_RUN_MS,
    });
    settings.onChange((before, now) => {
      if (ENVIRONMENTS.every((one) => isDeepStrictEqual(before[one].retention, now[one].retention))) return;
      this.isChanged = true;
      void this.job.run();
    });
  }

  /**
   * Keeps the rows of each environment for the days of a setting. Call it while modules initialise.
   * @param old gets the environment of the rows; null: rows without an environment, which follow the live setting
   */
  keepDaysOf<Row extends ObjectLiteral>(
    setting: DaysSetting,
    environments: readonly (Environment | null)[],
    old: (environment: Environment | null, ...parameters: Parameters<OldRows<Row>>) => SelectQueryBuilder<Row>,
  ): void {
    for (const environment of environments) {
      const days = () => this.settings.of(environment ?? ENVIRONMENTS[0]).retention[setting];
      this.add(days, (rows, before) => old(environment, rows, before));
    }
  }

  /**
   * Drops partitions that are older than the setting of both environments, before rows of the other partitions are deleted.
   * Call it while modules initialise, after `keepDaysOf`.
   * @param beforeDrop checks or work in the transaction of the drop, because a drop fires no trigger
   */
  dropDaysOf(setting: DaysSetting, table: PartitionedTable, beforeDrop?: BeforeDrop): void {
    const days = () => Math.max(...ENVIRONMENTS.map((environment) => this.settings.of(environment).retention[setting]));
    this.addRule(async () => {
      await this.partitions.dropBefore(table, new Date(this.clock.now() - days() * DAY_MS), beforeDrop);
      return false;
    });
  }

  /** Keeps rows for a number of days. Call it while modules initialise. */
  keepDays<Row extends ObjectLiteral>(days: number, old: OldRows<Row>): void {
    this.add(() => days, old);
  }

  /**
   * For more than the deletion of rows. Call it while modules initialise.
   * @param batch @returns whether there may be more to do now
   */
  addRule(batch: () => Promise<boolean>): void {
    this.rules.unshift(async () => ((await batch()) ? BATCH : 0));
  }

  /** Deletes the rows that are old now. */
  deleteOld(): Promise<void> {
    return this.job.run();
  }

  private add<Row extends ObjectLiteral>(days: () => number, old: OldRows<Row>): void {
    const before = () => new Date(this.clock.now() - days() * DAY_MS);
    // Features refer to rows of the core and initialise after it: rules run in reverse order.
    this.rules.unshift(() => deleteFirstUnlocked(old(this.rows, before()), BATCH));
  }

  /** Runs all rules. @throws AggregateError at the end if some of them failed */
  private async deleteBatch(): Promise<boolean> {
    if (this.isChanged || this.unfinished.length === 0) [this.unfinished, this.failures] = [[...this.rules], []];
    this.isChanged = false;
    for (let deletion; (deletion = this.unfinished[0]); this.unfinished.shift()) {
      try {
        const isMore = (await deletion()) === BATCH;
        if (isMore || this.isChanged) return true;
      } catch (error) {
        this.failures.push(error);
      }
    }
    if (this.failures.length > 0) throw new AggregateError(this.failures, 'Some old rows could not be deleted');
    return false;
  }
}
