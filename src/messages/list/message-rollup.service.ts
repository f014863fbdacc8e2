import { Injectable, type OnModuleInit } from '@nestjs/common';
import { triesLock } from '../../core/database/advisory-locks';
import { Database, statement } from '../../core/database/database.service';
import { type PeriodicJob, PeriodicJobs } from '../../core/jobs/periodic-jobs.service';
import { WATERMARK } from '../watermark';

const MESSAGE_ROLLUP = 'messages';

const INTERVAL_MS = 10_000;

const BEGIN_ROLLUP = statement(
  'message-rollup-begin',
  `INSERT INTO rollups (name, through) VALUES ($1, '-infinity') ON CONFLICT DO NOTHING`,
);

/**
 * Adds the messages from `through` on to their hours and moves `through`, in one statement: up to the watermark, but at
 * most the messages of one hour, so that it ends in time after a long pause too.
 */
const ROLL_UP = statement(
  'message-rollup',
  `WITH turn AS (SELECT through FROM rollups WHERE name = $1 AND ${triesLock('messageRollup')} FOR UPDATE),
   -- Named one by one, the environments let the list's index be used.
   next AS (
     SELECT min(first.created_at) AS at FROM turn, unnest(enum_range(NULL::environment)) AS own (environment), LATERAL (
       SELECT created_at FROM messages WHERE environment = own.environment AND created_at >= turn.through
       ORDER BY created_at LIMIT 1
     ) first
   ),
   reach AS (SELECT through, date_trunc('second', ${WATERMARK}) AS settled FROM turn),
   bounds AS (
     SELECT through, settled, greatest(through, least(settled, (SELECT at FROM next) + interval '1 hour')) AS until FROM reach
   ),
   counted AS (
     INSERT INTO message_counts AS c (environment, hour, platform, direction, count)
     SELECT environment, date_trunc('hour', created_at, 'UTC'), platform, direction, count(*)
     FROM messages, bounds
     WHERE environment = ANY (enum_range(NULL::environment)) AND created_at >= bounds.through AND created_at < bounds.until
     GROUP BY 1, 2, 3, 4
     ON CONFLICT (environment, hour, platform, direction) DO UPDATE SET count = c.count + excluded.count
   )
   UPDATE rollups SET through = bounds.until FROM bounds WHERE name = $1
   RETURNING bounds.until < bounds.settled AS behind`,
);

/** Keeps the message counts for statistics. */
@Injectable()
export class MessageRollup implements OnModuleInit {
  private readonly job: PeriodicJob;

  constructor(
    private readonly database: Database,
    jobs: PeriodicJobs,
  ) {
    this.job = jobs.every('The roll-up of messages', INTERVAL_MS, () => this.rollUpBatch());
  }

  async onModuleInit(): Promise<void> {
    await this.database.query(BEGIN_ROLLUP, [MESSAGE_ROLLUP]);
  }

  /** Rolls up the messages before the watermark. Does nothing while another instance rolls up. */
  rollUp(): Promise<void> {
    return this.job.run();
  }

  private async rollUpBatch(): Promise<boolean> {
    const [turn] = await this.database.query<{ behind: boolean }>(ROLL_UP, [MESSAGE_ROLLUP]);
    return turn?.behind ?? false;
  }
}
