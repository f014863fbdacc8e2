import { Module } from '@nestjs/common';
import { ConversationArchiver } from './conversation-archiver';
import { ConversationCounts } from './conversation-counts';
import { ConversationDirectory } from './conversation-directory';
import { ConversationsController } from './conversations.controller';
import { ConversationsService } from './conversations.service';

@Module({
  controllers: [ConversationsController],
  providers: [ConversationsService, ConversationDirectory, ConversationArchiver, ConversationCounts],
  exports: [ConversationDirectory],
})
export class ConversationsModule {}
