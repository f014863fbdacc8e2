import { Injectable } from '@nestjs/common';
import { toPublicId, type Environment } from '#contracts';
import { Database } from '../../../core/database/database.service';
import type { Problem, ProblemSource } from '../problem';
import { FAILING_WEBHOOKS, type FailingWebhookRow } from './webhook-problems.rows';

const MOST_WEBHOOKS = 100;

/** Webhooks that receive no events: three attempts in a row failed, or the webhook was given up. */
@Injectable()
export class WebhookProblems implements ProblemSource {
  constructor(private readonly database: Database) {}

  async find(environment: Environment): Promise<Problem[]> {
    const rows = await this.database.query<FailingWebhookRow>(FAILING_WEBHOOKS, [environment, MOST_WEBHOOKS]);
    return rows.map(({ id, status, count, first_at: firstAt, last_at: lastAt, samples }) => ({
      kind: 'webhook_failing',
      cause: id,
      severity: status === 'failed' ? 'critical' : 'warning',
      title:
        status === 'failed'
          ? 'A webhook has failed and gets no events until it is enabled again.'
          : 'A webhook is failing: its latest attempts were rejected or not answered.',
      count,
      firstAt,
      lastAt,
      subject: { type: 'webhook', id: toPublicId('webhook', id) },
      samples: (samples ?? []).map((sample) => toPublicId('delivery', sample)),
    }));
  }
}
