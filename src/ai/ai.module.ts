import { Module } from '@nestjs/common';
import { MessagesModule } from '../messages/messages.module';
import { AiCalls } from './ai-calls';
import { AiController } from './ai.controller';
import { AiService } from './ai.service';
import { Assistant } from './assistant';
import { ReplyContexts } from './reply-context';
import { ReplyTasks } from './reply-tasks';
import { Usage } from './usage';
import { UsageLedger } from './usage-ledger';

@Module({
  imports: [MessagesModule],
  controllers: [AiController],
  providers: [AiService, AiCalls, Usage, UsageLedger, Assistant, ReplyContexts, ReplyTasks],
  exports: [AiCalls],
})
export class AiModule {}
