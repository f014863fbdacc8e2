import { Injectable } from '@nestjs/common';
import { HealthIndicatorService } from '@nestjs/terminus';
import { within } from '../../core/clock/within';
import { WriteHealth } from '../../core/database/connections/write-health.service';
import { Database } from '../../core/database/database.service';
import { PING } from '../health-state.rows';

const PING_TIMEOUT_MS = 2_000;

@Injectable()
export class DatabaseIndicator {
  constructor(
    private readonly indicators: HealthIndicatorService,
    private readonly database: Database,
    private readonly writes: WriteHealth,
  ) {}

  /** Whether requests can be served: most of them only read. Takes at most two seconds, even if the database hangs. */
  answers() {
    const check = this.indicators.check('database');
    return within(PING_TIMEOUT_MS, this.database.query(PING, [])).then(
      () => check.up(),
      () => check.down('does not answer'),
    );
  }

  check(answers: boolean) {
    const check = this.indicators.check('database');
    if (!answers) return check.down('does not answer');
    return this.writes.isFailing ? check.down('refuses writes') : check.up();
  }
}
