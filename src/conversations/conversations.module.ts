import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountsModule } from '../accounts/accounts.module';
import { MediaModule } from '../media/media.module';
import { WorkModule } from '../core/work/work.module';
import { ParticipantAliases } from './aliases/participant-aliases.service';
import { ConversationArchiver } from './conversation-archiver.service';
import { ConversationDirectory } from './conversation-directory.service';
import { ConversationSearch } from './list/conversation-search.service';
import { ConversationsController } from './conversations.controller';
import { ConversationsService } from './conversations.service';
import { ConversationEntity } from './entities/conversation.entity';
import { ConversationTermEntity } from './entities/conversation-term.entity';
import { HandoverEntity } from './entities/handover.entity';
import { PastHandoverEntity } from './entities/past-handover.entity';
import { MarketingPreferenceEntity } from './entities/marketing-preference.entity';
import { ParticipantAliasEntity } from './entities/participant-alias.entity';
import { ConversationErasure } from './erasure/conversation-erasure.service';
import { MarketingPreferences } from './marketing/marketing-preferences.service';
import { HANDOVERS, HandoverTimers } from './handover/handover-timers.service';
import { HandoverHistory } from './handover/handover-history.service';
import { Handovers } from './handover/handovers.service';

@Module({
  imports: [
    AccountsModule,
    MediaModule,
    WorkModule.forKind(HANDOVERS),
    TypeOrmModule.forFeature([
      ConversationEntity,
      ConversationTermEntity,
      HandoverEntity,
      PastHandoverEntity,
      MarketingPreferenceEntity,
      ParticipantAliasEntity,
    ]),
  ],
  controllers: [ConversationsController],
  providers: [
    ConversationsService,
    ConversationDirectory,
    ConversationArchiver,
    ConversationSearch,
    ConversationErasure,
    MarketingPreferences,
    Handovers,
    HandoverTimers,
    HandoverHistory,
    ParticipantAliases,
  ],
  exports: [ConversationsService, ConversationDirectory, Handovers, MarketingPreferences, ParticipantAliases],
})
export class ConversationsModule {}
