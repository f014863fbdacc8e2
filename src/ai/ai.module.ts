import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { MessagesModule } from '../messages/messages.module';
import { AiCalls } from './ai-calls.service';
import { AiController } from './ai.controller';
import { AiService } from './ai.service';
import { AssistantListener } from './assistant/assistant.listener';
import { Assistant } from './assistant/assistant.service';
import { ReplyContexts } from './assistant/reply-context.service';
import { ReplyTasks } from './assistant/reply-tasks.service';
import { AiUsageEntity } from './entities/ai-usage.entity';
import { ReplyTaskEntity } from './entities/reply-task.entity';
import { Usage } from './usage/usage.service';
import { UsageRecorder } from './usage/usage-recorder.service';

@Module({
  imports: [MessagesModule, TypeOrmModule.forFeature([AiUsageEntity, ReplyTaskEntity])],
  controllers: [AiController],
  providers: [AiService, AiCalls, Usage, UsageRecorder, Assistant, AssistantListener, ReplyContexts, ReplyTasks],
  exports: [AiCalls],
})
export class AiModule {}
