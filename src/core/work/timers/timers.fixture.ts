import type { Database } from '../../database/database.service';
import { Outage } from '../../database/outage.service';
import { Clock } from '../../clock/clock.service';
import { Timers } from './timers.service';

/** Timers without a database: they run in this process only, once `onApplicationBootstrap` is called. */
export function idleTimers(): Timers {
  return new Timers({} as Database, new Outage(), new Clock());
}
