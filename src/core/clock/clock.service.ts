import { Injectable } from '@nestjs/common';

/**
 * The only source of time. It follows PostgreSQL's clock (see ClockSync), so that instances whose machines disagree still
 * stamp their rows alike; during an outage it keeps the last known difference. It advances with the monotonic clock: setting
 * the time of the machine does not change it.
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

  /** @param byMs how far this clock is behind; negative if it is ahead */
  adjust(byMs: number): void {
    this.origin += byMs;
  }
}
