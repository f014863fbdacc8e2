import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ENVIRONMENTS } from '#contracts';
import { EventEntity } from '../core/events/event.entity';
import { firstIdOf } from '../core/events/id-times';
import { Retention } from '../core/events/retention.service';
import { WorkModule } from '../core/work/work.module';
import { DeliveriesController } from './endpoints/deliveries.controller';
import { Deliveries } from './endpoints/deliveries.service';
import { DeliveryController } from './endpoints/delivery.controller';
import { AttemptRunner } from './dispatch/attempt-runner.service';
import { HeldWork } from './held-work.service';
import { DueDispatches } from './dispatch/due-dispatches.service';
import { Subscriptions } from './endpoints/subscriptions.service';
import { AttemptRecorder } from './dispatch/attempt-recorder.service';
import { WebhookDispatchListener } from './dispatch/webhook-dispatch.listener';
import { WEBHOOKS, WebhookWork } from './dispatch/webhook-work.service';
import { EventTypesController } from './endpoints/event-types.controller';
import { MailEntity } from './entities/mail.entity';
import { WebhookDeliveryEntity } from './entities/webhook-delivery.entity';
import { WebhookDispatchEntity } from './entities/webhook-dispatch.entity';
import { WebhookEntity } from './entities/webhook.entity';
import { NoticeMails } from './mail/notice-mails.service';
import { MailOutbox } from './mail/mail-outbox.service';
import { Mailer } from './mail/mailer.service';
import { OWNER_MAIL } from './mail/owner-mail';
import { Redelivery } from './endpoints/redelivery.service';
import { Replays } from './endpoints/replays.service';
import { DeliveryErasure } from './erasure/delivery-erasure.service';
import { OldBodies } from './erasure/old-bodies.service';
import { TestDelivery } from './endpoints/test-delivery.service';
import { WebhooksController } from './endpoints/webhooks.controller';
import { WebhooksService } from './endpoints/webhooks.service';

/** No other module imports it: it depends on events and tables. */
@Module({
  imports: [
    WorkModule.forKind(WEBHOOKS),
    WorkModule.forKind(OWNER_MAIL),
    TypeOrmModule.forFeature([WebhookEntity, WebhookDispatchEntity, WebhookDeliveryEntity, MailEntity]),
  ],
  controllers: [WebhooksController, DeliveriesController, DeliveryController, EventTypesController],
  providers: [
    WebhooksService,
    Deliveries,
    Redelivery,
    Replays,
    TestDelivery,
    AttemptRunner,
    AttemptRecorder,
    DueDispatches,
    WebhookWork,
    WebhookDispatchListener,
    Subscriptions,
    NoticeMails,
    MailOutbox,
    Mailer,
    HeldWork,
    DeliveryErasure,
    OldBodies,
  ],
})
export class WebhooksModule {
  constructor(retention: Retention, bodies: OldBodies) {
    // Runs after the dispatches of old events are deleted, and before the events are.
    for (const environment of ENVIRONMENTS) retention.addRule(() => bodies.empty(environment));
    // Deliveries of deleted webhooks belong to no environment.
    retention.keepDaysOf('delivery_days', ENVIRONMENTS, (environment, rows, before) =>
      rows
        .createQueryBuilder(WebhookDeliveryEntity, 'old')
        .leftJoin(WebhookEntity, 'webhook', 'webhook.id = old.webhookId')
        .where('(webhook.id IS NULL OR webhook.environment = :environment)', { environment })
        .andWhere('old.createdAt < :before AND old.id < :first', { before, first: firstIdOf(before) })
        .orderBy('old.id'),
    );
    // The events are deleted after their dispatches.
    retention.keepDaysOf('event_days', ENVIRONMENTS, (environment, rows, before) =>
      rows
        .createQueryBuilder(WebhookDispatchEntity, 'old')
        .innerJoin(EventEntity, 'event', 'event.id = old.eventId')
        .where('event.environment = :environment AND event.createdAt < :before', { environment, before })
        .orderBy('event.createdAt'),
    );
    retention.dropDaysOf('delivery_days', 'webhook_deliveries');
    retention.dropDaysOf('event_days', 'webhook_dispatches');
  }
}
