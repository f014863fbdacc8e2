import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ConversationArchiver } from './conversation-archiver.service';
import { ConversationCounts } from './conversation-counts.service';
import { ConversationDirectory } from './conversation-directory.service';
import { ConversationSearch } from './conversation-search.service';
import { ConversationsController } from './conversations.controller';
import { ConversationsService } from './conversations.service';
import { ConversationCountChangeEntity } from './entities/conversation-count-change.entity';
import { ConversationCountEntity } from './entities/conversation-count.entity';
import { ConversationEntity } from './entities/conversation.entity';
import { ConversationTermEntity } from './entities/conversation-term.entity';
import { ParticipantAliasEntity } from './entities/participant-alias.entity';

@Module({
  imports: [
    TypeOrmModule.forFeature([
      ConversationEntity,
      ConversationCountEntity,
      ConversationCountChangeEntity,
      ConversationTermEntity,
      ParticipantAliasEntity,
    ]),
  ],
  controllers: [ConversationsController],
  providers: [
    ConversationsService,
    ConversationDirectory,
    ConversationArchiver,
    ConversationCounts,
    ConversationSearch,
  ],
  exports: [ConversationDirectory],
})
export class ConversationsModule {}
