import { Injectable } from '@nestjs/common';
import type { Environment } from '#contracts';
import { Clock } from '../../core/clock/clock.service';
import { within } from '../../core/clock/within';
import { Database, statement } from '../../core/database/database.service';
import { PERSIST_TIMEOUT_MS } from '../../core/database/retry-until-persisted';
import { AttemptRunner } from '../dispatch/attempt-runner.service';
import type { DueDispatch } from '../dispatch/due-dispatches.service';
import { AttemptRecorder } from '../dispatch/attempt-recorder.service';
import { testEvent } from '../dispatch/test-event';
import type { DeliveryDto } from '../dto/delivery.dto';
import { unknownWebhook } from './webhooks.service';
import { toDelivery } from './webhook-rows';

/** The event is stored, so that its delivery can be repeated, but handed to nobody else; its dispatch is never due. */
const STORE = statement(
  'webhook-test-store',
  `WITH webhook AS (SELECT * FROM webhooks WHERE id = $1 AND environment = $2),
   event AS (
     INSERT INTO events (id, environment, type, body, created_at)
     SELECT $3::uuid, $2, 'system.health', $4, $5 FROM webhook
   ),
   dispatch AS (
     INSERT INTO webhook_dispatches (event_id, webhook_id, state, created_at) SELECT $3::uuid, id, 'failed', now() FROM webhook
   )
   SELECT url, secret, CASE WHEN previous_secret_until > now() THEN previous_secret END AS previous_secret FROM webhook`,
);

/** Sends one test event at once, whatever the webhook's status. Not retried; only a 410 has consequences for the webhook. */
@Injectable()
export class TestDelivery {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly attempts: AttemptRunner,
    private readonly recorder: AttemptRecorder,
  ) {}

  async send(environment: Environment, webhookId: string): Promise<DeliveryDto> {
    const event = testEvent(environment, this.clock.now());
    const [webhook] = await this.database.query<Pick<DueDispatch, 'url' | 'secret' | 'previous_secret'>>(STORE, [
      webhookId,
      environment,
      event.id,
      event.body,
      event.createdAt,
    ]);
    if (!webhook) throw unknownWebhook(webhookId);
    const record = await this.attempts.make({
      ...webhook,
      event_id: event.id,
      webhook_id: webhookId,
      environment,
      fence: 0,
      attempts: 0,
      retries: 0,
      created_at: event.createdAt,
      event_type: event.type,
      body: event.body,
    });
    // During an outage the recorder keeps the record until the database is back; the caller is told before.
    const late = 'The outcome of a test delivery waits for the database';
    await within(PERSIST_TIMEOUT_MS, this.recorder.record(record), late);
    return toDelivery({ ...record, attempt: record.number, created_at: record.at, next_retry_at: null });
  }
}
