import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Database } from '../../core/database/database.service';
import { type PeriodicJob, PeriodicJobs } from '../../core/work/periodic-jobs.service';
import { ADD_SPAN, BEGIN_ROLLUP, NEXT_SPAN, type Span } from './message-rollup.rows';

const MESSAGE_ROLLUP = 'messages';

const INTERVAL_MS = 10_000;

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

  private rollUpBatch(): Promise<boolean> {
    return this.database.transaction(async (client) => {
      const [span] = await this.database.query<Span>(NEXT_SPAN, [MESSAGE_ROLLUP], client);
      if (!span) return false;
      await this.database.query(ADD_SPAN, [MESSAGE_ROLLUP, span.from, span.until], client);
      return span.behind;
    });
  }
}
