import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountsModule } from '../accounts/accounts.module';
import { BillingModule } from '../billing/billing.module';
import { ConversationsModule } from '../conversations/conversations.module';
import { Retention } from '../core/events/retention.service';
import { WorkModule } from '../core/work/work.module';
import { IntegrationsModule } from '../integrations/integrations.module';
import { MediaModule } from '../media/media.module';
import { PositionCheckpointEntity } from './counts/position-checkpoint.entity';
import { PositionCheckpoints } from './counts/position-checkpoints.service';
import { ErasedIds } from './erasure/erased-ids.service';
import { MessageErasure } from './erasure/message-erasure.service';
import { ErasedMessageIdEntity } from './entities/erased-message-id.entity';
import { EarlyReceiptEntity } from './entities/early-receipt.entity';
import { FailedMessageEntity } from './entities/failed-message.entity';
import { MessagePartEntity } from './entities/message-part.entity';
import { MessageTaskEntity } from './entities/message-task.entity';
import { ScheduledSendEntity } from './entities/scheduled-send.entity';
import { MessageEntity } from './entities/message.entity';
import { AlbumEntity } from './entities/album.entity';
import { ALBUMS, Albums } from './receive/albums.service';
import { SandboxBilling } from './send/sandbox-billing.service';
import { DeliveryConfirmer } from './receipts/delivery-confirmer.service';
import { FailedMessageListener } from './failed-message.listener';
import { SendingAccounts } from './sending-accounts.service';
import { SendService } from './send/send.service';
import { InboundListener } from './inbound.listener';
import { InboundReader } from './receive/inbound-reader.service';
import { InboundService } from './receive/inbound.service';
import { EarlierSend } from './send/earlier-send.service';
import { HandoverRequests } from './handover/handover-requests.service';
import { Echoes } from './receive/echoes.service';
import { Choices } from './receive/choices.service';
import { MessageChanges } from './receive/message-changes.service';
import { MessageIndex } from './list/message-index.service';
import { MessageReader } from './list/message-reader.service';
import { MessagesController } from './messages.controller';
import { MessagesService } from './messages.service';
import { OutboundStore } from './send/outbound-store.service';
import { Sandbox } from './sandbox/sandbox.service';
import { SandboxController } from './sandbox/sandbox.controller';
import { Quotations } from './quotations/quotations.service';
import { Receipts } from './receipts/receipts.service';
import { ReceiptsStore } from './receipts/receipts-store.service';
import { ReplyWindows } from './send/reply-windows.service';
import { SCHEDULED_SENDS, ScheduledSends } from './send/scheduled-sends.service';
import { PENDING_SENDS, SendRecovery } from './send/send-recovery.service';
import { Typing } from './send/typing.service';

/** No platform delivers a message again after more days. */
const ERASED_ID_DAYS = 30;

@Module({
  imports: [
    AccountsModule,
    BillingModule,
    ConversationsModule,
    IntegrationsModule,
    MediaModule,
    WorkModule.forKind(PENDING_SENDS),
    WorkModule.forKind(SCHEDULED_SENDS),
    WorkModule.forKind(ALBUMS),
    TypeOrmModule.forFeature([
      MessageEntity,
      MessagePartEntity,
      MessageTaskEntity,
      ScheduledSendEntity,
      EarlyReceiptEntity,
      FailedMessageEntity,
      AlbumEntity,
      ErasedMessageIdEntity,
      PositionCheckpointEntity,
    ]),
  ],
  controllers: [MessagesController, SandboxController],
  providers: [
    MessagesService,
    MessageReader,
    MessageIndex,
    PositionCheckpoints,
    SandboxBilling,
    InboundListener,
    InboundReader,
    InboundService,
    Albums,
    Echoes,
    MessageChanges,
    HandoverRequests,
    Choices,
    Quotations,
    Sandbox,
    OutboundStore,
    SendService,
    SendingAccounts,
    DeliveryConfirmer,
    EarlierSend,
    ReplyWindows,
    Receipts,
    ReceiptsStore,
    SendRecovery,
    ScheduledSends,
    FailedMessageListener,
    Typing,
    ErasedIds,
    MessageErasure,
  ],
  exports: [HandoverRequests, MessagesService, Typing],
})
export class MessagesModule {
  constructor(retention: Retention) {
    retention.keepDays(ERASED_ID_DAYS, (rows, before) =>
      rows
        .createQueryBuilder(ErasedMessageIdEntity, 'old')
        .where('old.erasedAt < :before', { before })
        .orderBy('old.erasedAt'),
    );
  }
}
