import { Injectable } from '@nestjs/common';

/**
 * The one source of time. It follows PostgreSQL's clock (see ClockSync), so that instances whose machines disagree
 * still stamp their rows alike; with the database away it goes on with the last known difference. It moves on with the
 * monotonic clock: a machine whose time is set while the process runs changes nothing here.
 */
@Injectable()
export class Clock {
  private origin = Date.now() - performance.now();

  /** Unix milliseconds, whole. */
  now(): number {
    return Math.round(this.origin + performance.now());
  }

  date(): Date {
    return new Date(this.now());
  }

  /** @param byMs how far this clock is behind; negative where it is ahead */
  adjust(byMs: number): void {
    this.origin += byMs;
  }
}
