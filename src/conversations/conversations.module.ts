import { Module } from '@nestjs/common';
import { ConversationArchiver } from './conversation-archiver';
import { ConversationDirectory } from './conversation-directory';
import { ConversationsController } from './conversations.controller';
import { ConversationsService } from './conversations.service';

@Module({
  controllers: [ConversationsController],
  providers: [ConversationsService, ConversationDirectory, ConversationArchiver],
  exports: [ConversationDirectory],
})
export class ConversationsModule {}
