import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { MediaModule } from '../media/media.module';
import { WorkModule } from '../core/work/work.module';
import { ConversationArchiver } from './conversation-archiver.service';
import { ConversationDirectory } from './conversation-directory.service';
import { ConversationSearch } from './conversation-search.service';
import { ConversationsController } from './conversations.controller';
import { ConversationsService } from './conversations.service';
import { ConversationEntity } from './entities/conversation.entity';
import { ConversationTermEntity } from './entities/conversation-term.entity';
import { HandoverEntity } from './entities/handover.entity';
import { ParticipantAliasEntity } from './entities/participant-alias.entity';
import { ConversationErasure } from './erasure/conversation-erasure.service';
import { HANDOVERS, HandoverTimers } from './handover/handover-timers.service';
import { Handovers } from './handover/handovers.service';

@Module({
  imports: [
    MediaModule,
    WorkModule.forKind(HANDOVERS),
    TypeOrmModule.forFeature([ConversationEntity, ConversationTermEntity, HandoverEntity, ParticipantAliasEntity]),
  ],
  controllers: [ConversationsController],
  providers: [
    ConversationsService,
    ConversationDirectory,
    ConversationArchiver,
    ConversationSearch,
    ConversationErasure,
    Handovers,
    HandoverTimers,
  ],
  exports: [ConversationDirectory, Handovers],
})
export class ConversationsModule {}
