import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ConversationsModule } from '../conversations/conversations.module';
import { AccountsModule } from '../accounts/accounts.module';
import { BillingModule } from '../billing/billing.module';
import { Retention } from '../core/events/retention.service';
import { PERSON } from '../core/secrets/person';
import { MediaModule } from '../media/media.module';
import { WorkModule } from '../core/work/work.module';
import { MessagesModule } from '../messages/messages.module';
import { AiCalls } from './ai-calls.service';
import { AiHealth } from './ai-health.service';
import { AiController } from './ai.controller';
import { AnswersController } from './answers.controller';
import { AiService } from './ai.service';
import { AnswerRequests } from './assistant/answer-requests.service';
import { AnswerStore } from './assistant/answer-store.service';
import { AssistantListener } from './assistant/assistant.listener';
import { Assistant } from './assistant/assistant.service';
import { CallFiles } from './files/call-files.service';
import { ContextFiles } from './assistant/context-files.service';
import { ReplyContexts } from './assistant/reply-context.service';
import { ReplyHandovers } from './assistant/reply-handovers.service';
import { ReplyFailures } from './assistant/reply-failures.service';
import { ReplyLimits } from './assistant/reply-limits.service';
import { REPLIES, ReplyTasks } from './assistant/reply-tasks.service';
import { AiBudgetNoticeEntity } from './entities/ai-budget-notice.entity';
import { AiConversationUsageEntity } from './entities/ai-conversation-usage.entity';
import { AiKeyUsageEntity } from './entities/ai-key-usage.entity';
import { AiProviderEntity } from './entities/ai-provider.entity';
import { AiSpendingEntity } from './entities/ai-spending.entity';
import { AiUsageEntity } from './entities/ai-usage.entity';
import { ReplyTaskEntity } from './entities/reply-task.entity';
import { BudgetMetrics } from './usage/budget-metrics.service';
import { Preview } from './preview/preview.service';
import { AiProvidersController } from './providers/ai-providers.controller';
import { ProviderRows } from './providers/provider-rows.service';
import { AiProviders } from './providers/ai-providers.service';
import { LiveProviders } from './provider/live-providers.service';
import { BudgetStatus } from './usage/budget-status.service';
import { Budgets } from './usage/budgets.service';
import { spendingBefore, SpendingRows } from './usage/spending-rows.service';
import { ReplyRounds } from './tools/rounds/reply-rounds.service';
import { RequestRounds } from './tools/rounds/request-rounds.service';
import { ToolRounds } from './tools/rounds/tool-rounds.service';
import { ToolsModule } from './tools/tools.module';
import { Transcriber } from './transcripts/transcriber.service';
import { TRANSCRIPTS } from '../media/transcripts.service';
import { Usage } from './usage/usage.service';
import { UsageController } from './usage.controller';
import { UsageReports } from './usage/usage-report.service';
import { UsageRecorder } from './usage/usage-recorder.service';

/** How long the spending of persons is kept, in days: many people write only once. */
const PERSON_DAYS = 2;
/** How long other spending is kept, in days: older months are never read. */
const KEPT_DAYS = 62;
/** How long the AI usage of keys and conversations is kept, in days: a year can be compared with the one before. */
const KEY_DAYS = 731;

@Module({
  imports: [
    AccountsModule,
    BillingModule,
    ConversationsModule,
    MessagesModule,
    MediaModule,
    ToolsModule,
    WorkModule.forKind(REPLIES),
    WorkModule.forKind(TRANSCRIPTS),
    TypeOrmModule.forFeature([
      AiUsageEntity,
      AiConversationUsageEntity,
      AiKeyUsageEntity,
      ReplyTaskEntity,
      AiSpendingEntity,
      AiBudgetNoticeEntity,
      AiProviderEntity,
    ]),
  ],
  controllers: [AiController, AiProvidersController, AnswersController, UsageController],
  providers: [
    AiService,
    Preview,
    AiCalls,
    AiHealth,
    LiveProviders,
    AiProviders,
    ProviderRows,
    Usage,
    UsageRecorder,
    UsageReports,
    Budgets,
    BudgetStatus,
    BudgetMetrics,
    SpendingRows,
    AnswerStore,
    AnswerRequests,
    Assistant,
    AssistantListener,
    ReplyContexts,
    CallFiles,
    ContextFiles,
    ReplyFailures,
    ReplyHandovers,
    ReplyTasks,
    ReplyLimits,
    Transcriber,
    ToolRounds,
    ReplyRounds,
    RequestRounds,
  ],
  exports: [AiCalls, AiHealth],
})
export class AiModule {
  constructor(retention: Retention) {
    retention.keepDays(PERSON_DAYS, (rows, before) => spendingBefore(rows, before, `${PERSON}%`));
    retention.keepDays(KEY_DAYS, (rows, before) =>
      rows.createQueryBuilder(AiKeyUsageEntity, 'old').where('old.hour < :before', { before }),
    );
    retention.keepDays(KEY_DAYS, (rows, before) =>
      rows.createQueryBuilder(AiConversationUsageEntity, 'old').where('old.hour < :before', { before }),
    );
    retention.keepDays(KEPT_DAYS, (rows, before) => spendingBefore(rows, before));
    retention.keepDays(KEPT_DAYS, (rows, before) =>
      rows.createQueryBuilder(AiBudgetNoticeEntity, 'old').where('old.startsOn < :before', { before }),
    );
  }
}
