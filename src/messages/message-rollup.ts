import { Injectable, Logger, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { Database, statement } from '../core/database/database';
import { MESSAGE_ROLLUP } from './message-total';

const INTERVAL_MS = 10_000;

/** Any number: it only must not be used for another advisory lock in this database. */
const ROLLUP_LOCK = 7_246_003;

const BEGIN_ROLLUP = statement(
  'message-rollup-begin',
  `INSERT INTO rollups (name, through) VALUES ($1, '-infinity') ON CONFLICT DO NOTHING`,
);

/**
 * Adds the messages of [through, now - 1 minute) to their hours and moves `through`, in one statement.
 *
 * Exact because `created_at` is set by the server right before its statement, which may take 15 seconds at most
 * (statement_timeout): a minute later nothing can appear before `through` any more. The moment is also held below the
 * oldest running transaction, for sessions without that limit.
 */
const ROLL_UP = statement(
  'message-rollup',
  `WITH turn AS (SELECT through FROM rollups WHERE name = $1 AND pg_try_advisory_xact_lock(${ROLLUP_LOCK}) FOR UPDATE),
   bounds AS (
     SELECT through, greatest(through, date_trunc('second', least(now() - interval '60 seconds', (
       SELECT min(xact_start) FROM pg_stat_activity WHERE backend_xid IS NOT NULL AND pid <> pg_backend_pid()
     )))) AS until
     FROM turn
   ),
   counted AS (
     INSERT INTO message_counts AS c (environment, hour, platform, direction, count)
     SELECT environment, date_trunc('hour', created_at, 'UTC'), platform, direction, count(*)
     FROM messages, bounds
     -- Named one by one, the environments let the list's index be used.
     WHERE environment = ANY (enum_range(NULL::environment)) AND created_at >= bounds.through AND created_at < bounds.until
     GROUP BY 1, 2, 3, 4
     ON CONFLICT (environment, hour, platform, direction) DO UPDATE SET count = c.count + excluded.count
   )
   UPDATE rollups SET through = bounds.until FROM bounds WHERE name = $1`,
);

/** Keeps the message counts that list totals and statistics are made of. */
@Injectable()
export class MessageRollup implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(MessageRollup.name);
  private timer?: NodeJS.Timeout;
  private running: Promise<void> = Promise.resolve();

  constructor(private readonly database: Database) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.database.query(BEGIN_ROLLUP, [MESSAGE_ROLLUP]);
    this.timer = setInterval(() => {
      this.running = this.running.then(() => this.rollUp());
    }, INTERVAL_MS);
  }

  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.running;
  }

  /** Rolls up what is old enough. Does nothing while another instance does it. */
  async rollUp(): Promise<void> {
    try {
      await this.database.query(ROLL_UP, [MESSAGE_ROLLUP]);
    } catch (error) {
      this.logger.warn({ err: error }, 'Messages could not be rolled up; totals are counted meanwhile');
    }
  }
}
