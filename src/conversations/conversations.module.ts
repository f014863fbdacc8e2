import { Module } from '@nestjs/common';
import { ConversationDirectory } from './conversation-directory';
import { ConversationsController } from './conversations.controller';
import { ConversationsService } from './conversations.service';

@Module({
  controllers: [ConversationsController],
  providers: [ConversationsService, ConversationDirectory],
  exports: [ConversationDirectory],
})
export class ConversationsModule {}
