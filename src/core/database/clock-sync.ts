import { Injectable, Logger, type BeforeApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../clock/clock';
import { Database, statement } from './database';

const INTERVAL_MS = 30_000;
/** Below this a difference is the measurement's, not the clock's. */
const TOLERANCE_MS = 100;

const DATABASE_TIME = statement('clock-sync', 'SELECT extract(epoch FROM clock_timestamp()) * 1000 AS ms');

/** Keeps the Clock on PostgreSQL's time. */
@Injectable()
export class ClockSync implements OnModuleInit, BeforeApplicationShutdown {
  private readonly logger = new Logger(ClockSync.name);
  private timer?: NodeJS.Timeout;
  private offsetMs = 0;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  async onModuleInit(): Promise<void> {
    await this.measure();
    this.timer = setInterval(() => void this.measure().catch(() => undefined), INTERVAL_MS);
  }

  beforeApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  private async measure(): Promise<void> {
    const before = Date.now();
    const [row] = await this.database.query<{ ms: string }>(DATABASE_TIME, []);
    const after = Date.now();
    // An answer that took long says little: the clock may be off by as much.
    if (after - before > TOLERANCE_MS) return;
    const offset = Number(row!.ms) - (before + after) / 2;
    if (Math.abs(offset - this.offsetMs) <= TOLERANCE_MS) return;
    this.logger.warn(
      `This machine's clock differs from the database's by ${Math.round(-offset)} ms; the database's is used`,
    );
    this.offsetMs = offset;
    this.clock.adjust(offset);
  }
}
