import { Module } from '@nestjs/common';
import { ConversationsModule } from '../conversations/conversations.module';
import { IntegrationsModule } from '../integrations/integrations.module';
import { DeliveryConfirmer } from './delivery-confirmer';
import { DeliveryService } from './delivery.service';
import { InboundService } from './inbound.service';
import { MessageReader } from './message-reader';
import { MessageRollup } from './message-rollup';
import { MessagesController } from './messages.controller';
import { MessagesService } from './messages.service';
import { OutboundStore } from './outbound-store';
import { SendRecovery } from './send-recovery';
import { Typing } from './typing';

@Module({
  imports: [ConversationsModule, IntegrationsModule],
  controllers: [MessagesController],
  providers: [
    MessagesService,
    MessageReader,
    MessageRollup,
    InboundService,
    OutboundStore,
    DeliveryService,
    DeliveryConfirmer,
    SendRecovery,
    Typing,
  ],
  exports: [MessagesService, Typing],
})
export class MessagesModule {}
