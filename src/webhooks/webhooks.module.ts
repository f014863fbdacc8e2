import { Module } from '@nestjs/common';
import { DeliveriesController } from './deliveries.controller';
import { Deliveries } from './deliveries.service';
import { Attempts } from './dispatch/attempts';
import { Dispatcher } from './dispatch/dispatcher';
import { DueDispatches } from './dispatch/due-dispatches';
import { FanOut } from './dispatch/fan-out';
import { Ledger } from './dispatch/ledger';
import { Poster } from './dispatch/poster';
import { EventTypesController } from './event-types.controller';
import { ReceiverGuard } from './guard/receiver-guard';
import { Mailer } from './mail/mailer';
import { Redelivery } from './redelivery.service';
import { Retention } from './retention';
import { SecretBox } from './secret-box';
import { TestDelivery } from './test-delivery.service';
import { WebhooksController } from './webhooks.controller';
import { WebhooksService } from './webhooks.service';

/** Imported by nobody: it lives on events and tables. */
@Module({
  controllers: [WebhooksController, DeliveriesController, EventTypesController],
  providers: [
    WebhooksService,
    Deliveries,
    Redelivery,
    TestDelivery,
    SecretBox,
    ReceiverGuard,
    Poster,
    Attempts,
    Ledger,
    DueDispatches,
    Dispatcher,
    FanOut,
    Mailer,
    Retention,
  ],
})
export class WebhooksModule {}
