import { Injectable } from '@nestjs/common';

/**
 * The one source of time. It follows PostgreSQL's clock (see ClockSync), so that instances whose machines disagree
 * still stamp their rows alike; with the database away it goes on with the last known difference.
 */
@Injectable()
export class Clock {
  private offsetMs = 0;

  /** Unix milliseconds, whole. */
  now(): number {
    return Date.now() + this.offsetMs;
  }

  date(): Date {
    return new Date(this.now());
  }

  /** @param offsetMs what to add to the machine's clock */
  adjust(offsetMs: number): void {
    this.offsetMs = Math.round(offsetMs);
  }
}
