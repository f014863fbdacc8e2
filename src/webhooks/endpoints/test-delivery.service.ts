import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import type { Environment } from '#contracts';
import { Clock } from '../../core/clock/clock.service';
import { within } from '../../core/clock/within';
import { PERSIST_TIMEOUT_MS } from '../../core/database/retry-until-persisted';
import type { DomainEvent } from '../../core/events/domain-event';
import { DomainEvents } from '../../core/events/domain-events.service';
import { AttemptRunner } from '../dispatch/attempt-runner.service';
import { HostRate } from '../../core/egress/host-rate.service';
import { AttemptRecorder } from '../dispatch/attempt-recorder.service';
import { testEvent } from '../dispatch/test-event';
import type { DeliveryDto } from '../dto/delivery.dto';
import { WebhookDispatchEntity } from '../entities/webhook-dispatch.entity';
import { WebhookEntity } from '../entities/webhook.entity';
import { unknownWebhook } from './webhooks.service';
import { toDelivery } from './webhook-record';

/** Sends one test event at once, whatever the webhook's status. Not retried; only a 410 has consequences for the webhook. */
@Injectable()
export class TestDelivery {
  constructor(
    @InjectRepository(WebhookEntity) private readonly webhooks: Repository<WebhookEntity>,
    private readonly events: DomainEvents,
    private readonly clock: Clock,
    private readonly attempts: AttemptRunner,
    private readonly recorder: AttemptRecorder,
    private readonly hosts: HostRate,
  ) {}

  async send(environment: Environment, webhookId: string): Promise<DeliveryDto> {
    const event = testEvent(environment, this.clock.now());
    const { url, secret, previousSecret, previousSecretUntil } = await this.store(environment, webhookId, event);
    this.hosts.count(url);
    const record = await this.attempts.make({
      url,
      secret,
      previous_secret: previousSecretUntil && previousSecretUntil.getTime() > this.clock.now() ? previousSecret : null,
      event_id: event.id,
      webhook_id: webhookId,
      environment,
      fence: 0,
      attempts: 0,
      retries: 0,
      created_at: event.createdAt,
      event_type: event.type,
      body: event.body,
      is_old: false,
    });
    // During an outage the recorder keeps the record until the database has recovered; the caller gets an error earlier.
    const late = 'The outcome of a test delivery is waiting for the database';
    await within(PERSIST_TIMEOUT_MS, this.recorder.record(record), late);
    return toDelivery({
      id: record.id,
      eventId: event.id,
      eventType: event.type,
      attempt: record.number,
      status: record.status,
      responseCode: record.response_code,
      responseTimeMs: record.response_time_ms,
      error: record.error,
      nextRetryAt: null,
      createdAt: record.at,
    });
  }

  /** Stores the event, so that its delivery can be repeated; no other webhook gets it, and its dispatch is never due. */
  private store(environment: Environment, id: string, event: DomainEvent): Promise<WebhookEntity> {
    return this.webhooks.manager.transaction(async (manager) => {
      const webhook = await manager.findOne(WebhookEntity, {
        where: { id, environment },
        select: { id: true, url: true, secret: true, previousSecret: true, previousSecretUntil: true },
      });
      if (!webhook) throw unknownWebhook(id);
      await this.events.keep(event, manager);
      const createdAt = () => 'now()';
      await manager.insert(WebhookDispatchEntity, { eventId: event.id, webhookId: id, state: 'failed', createdAt });
      return webhook;
    });
  }
}
