import { Module } from '@nestjs/common';
import { ConversationsModule } from '../conversations/conversations.module';
import { IntegrationsModule } from '../integrations/integrations.module';
import { DeliveryConfirmer } from './delivery-confirmer';
import { DeliveryService } from './delivery.service';
import { InboundService } from './inbound.service';
import { InterruptedSend } from './interrupted-send';
import { MessageRanks } from './message-ranks';
import { MessageReader } from './message-reader';
import { MessageRollup } from './message-rollup';
import { MessagesController } from './messages.controller';
import { MessagesService } from './messages.service';
import { OutboundStore } from './outbound-store';
import { SandboxController } from './sandbox.controller';
import { Receipts } from './receipts.service';
import { ReceiptsListener } from './receipts.listener';
import { ReceiptsStore } from './receipts-store';
import { SendRecovery } from './send-recovery';
import { Typing } from './typing';

@Module({
  imports: [ConversationsModule, IntegrationsModule],
  controllers: [MessagesController, SandboxController],
  providers: [
    MessagesService,
    MessageReader,
    MessageRanks,
    MessageRollup,
    InboundService,
    OutboundStore,
    DeliveryService,
    DeliveryConfirmer,
    InterruptedSend,
    Receipts,
    ReceiptsListener,
    ReceiptsStore,
    SendRecovery,
    Typing,
  ],
  exports: [MessagesService, Typing],
})
export class MessagesModule {}
