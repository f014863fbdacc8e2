import { Injectable, Logger, type BeforeApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../clock/clock.service';
import { repeat } from '../clock/repeat';
import { Database, statement } from './database.service';

const INTERVAL_MS = 30_000;
/** Smaller differences are measurement errors. */
const TOLERANCE_MS = 100;
/** How often the two clocks of the machine are compared. */
const COMPARE_MS = 1_000;

const DATABASE_TIME = statement('clock-sync', 'SELECT extract(epoch FROM clock_timestamp()) * 1000 AS ms');

/** Keeps the Clock on PostgreSQL's time. */
@Injectable()
export class ClockSync implements OnModuleInit, BeforeApplicationShutdown {
  private readonly logger = new Logger(ClockSync.name);
  private readonly ends: (() => void)[] = [];
  /** The machine's offset at the last comparison that succeeded. */
  private machine = machineOffset();
  private measuring?: Promise<void>;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  async onModuleInit(): Promise<void> {
    await this.measure();
    this.ends.push(
      repeat(INTERVAL_MS, () => this.measureSoon()),
      // Detects that the machine slept while its monotonic clock stood still. If only the machine's time was set, the
      // measurement adjusts nothing.
      repeat(COMPARE_MS, () => {
        if (Math.abs(machineOffset() - this.machine) > TOLERANCE_MS) this.measureSoon();
      }),
    );
  }

  beforeApplicationShutdown(): void {
    for (const end of this.ends) end();
  }

  /** One at a time: two would each adjust by the whole difference. After a failure, the next measurement adjusts. */
  private measureSoon(): void {
    this.measuring ??= this.measure()
      .catch(() => undefined)
      .finally(() => (this.measuring = undefined));
  }

  /** Sets the Clock to the database's time if they differ. */
  async measure(): Promise<void> {
    const machine = machineOffset();
    const before = this.clock.now();
    const [row] = await this.database.query<{ ms: string }>(DATABASE_TIME, []);
    const after = this.clock.now();
    this.machine = machine;
    const behind = Number(row!.ms) - (before + after) / 2;
    // The database read its clock at an unknown moment of the round trip: a slow answer is less precise.
    if (Math.abs(behind) <= TOLERANCE_MS + (after - before) / 2) return;
    this.logger.warn(`The clock differs from the database's by ${Math.round(-behind)} ms; the database's is used`);
    this.clock.adjust(behind);
  }
}

/** Unix milliseconds at which the monotonic clock stood at zero, by this machine's wall clock. */
function machineOffset(): number {
  return Date.now() - performance.now();
}
