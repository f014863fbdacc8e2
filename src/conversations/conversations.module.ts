import { Module } from '@nestjs/common';
import { ConversationArchiver } from './conversation-archiver.service';
import { ConversationCounts } from './conversation-counts.service';
import { ConversationDirectory } from './conversation-directory.service';
import { ConversationsController } from './conversations.controller';
import { ConversationsService } from './conversations.service';

@Module({
  controllers: [ConversationsController],
  providers: [ConversationsService, ConversationDirectory, ConversationArchiver, ConversationCounts],
  exports: [ConversationDirectory],
})
export class ConversationsModule {}
