import { Injectable, Logger, type BeforeApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../clock/clock.service';
import { repeat } from '../clock/repeat';
import { Database, statement } from './database.service';

const INTERVAL_MS = 60_000;
/** Smaller differences are measurement errors. */
const TOLERANCE_MS = 100;

const DATABASE_TIME = statement('clock-sync', 'SELECT extract(epoch FROM clock_timestamp()) * 1000 AS ms');

/** Keeps the Clock on PostgreSQL's time. */
@Injectable()
export class ClockSync implements OnModuleInit, BeforeApplicationShutdown {
  private readonly logger = new Logger(ClockSync.name);
  private end?: () => void;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  async onModuleInit(): Promise<void> {
    await this.measure();
    // After a failure, the next measurement adjusts.
    this.end = repeat(INTERVAL_MS, () => void this.measure().catch(() => undefined));
  }

  beforeApplicationShutdown(): void {
    this.end?.();
  }

  /** Sets the Clock to the database's time if they differ. */
  async measure(): Promise<void> {
    const before = this.clock.now();
    const [row] = await this.database.query<{ ms: string }>(DATABASE_TIME, []);
    const after = this.clock.now();
    const behind = Number(row!.ms) - (before + after) / 2;
    // The database read its clock at an unknown moment of the round trip: a slow answer is less precise.
    if (Math.abs(behind) <= TOLERANCE_MS + (after - before) / 2) return;
    this.logger.warn(
      `The clock differs from that of the database by ${Math.round(-behind)} ms; using the clock of the database`,
    );
    this.clock.adjust(behind);
  }
}
