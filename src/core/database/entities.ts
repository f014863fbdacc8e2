import { AiUsageEntity } from './entities/ai-usage.entity';
import { ApiKeyEntity } from './entities/api-key.entity';
import { AuditEntryEntity } from './entities/audit-entry.entity';
import { ConversationCountChangeEntity } from './entities/conversation-count-change.entity';
import { ConversationCountEntity } from './entities/conversation-count.entity';
import { ConversationEntity } from './entities/conversation.entity';
import { DeploymentEntity } from './entities/deployment.entity';
import { EarlyReceiptEntity } from './entities/early-receipt.entity';
import { EventOutboxEntity } from './entities/event-outbox.entity';
import { EventEntity } from './entities/event.entity';
import { IdempotentRequestEntity } from './entities/idempotent-request.entity';
import { IntegrationHealthEntity } from './entities/integration-health.entity';
import { IntegrationEntity } from './entities/integration.entity';
import { MessageCountEntity } from './entities/message-count.entity';
import { MessagePartEntity } from './entities/message-part.entity';
import { MessageRankEntity } from './entities/message-rank.entity';
import { MessageTaskEntity } from './entities/message-task.entity';
import { MessageEntity } from './entities/message.entity';
import { ParticipantAliasEntity } from './entities/participant-alias.entity';
import { ReplyTaskEntity } from './entities/reply-task.entity';
import { RollupEntity } from './entities/rollup.entity';
import { SettingsEntity } from './entities/settings.entity';
import { HealthStateEntity } from './entities/health-state.entity';
import { MailEntity } from './entities/mail.entity';
import { WebhookDeliveryEntity } from './entities/webhook-delivery.entity';
import { WebhookDispatchEntity } from './entities/webhook-dispatch.entity';
import { WebhookEntity } from './entities/webhook.entity';

/** Every table, for the data source. Modules import the entity they need from its own file. */
export const ENTITIES = [
  AiUsageEntity,
  ApiKeyEntity,
  AuditEntryEntity,
  ConversationCountChangeEntity,
  ConversationCountEntity,
  ConversationEntity,
  DeploymentEntity,
  EarlyReceiptEntity,
  EventEntity,
  EventOutboxEntity,
  IdempotentRequestEntity,
  IntegrationEntity,
  IntegrationHealthEntity,
  MessageCountEntity,
  MessageEntity,
  MessagePartEntity,
  MessageRankEntity,
  MessageTaskEntity,
  ParticipantAliasEntity,
  ReplyTaskEntity,
  RollupEntity,
  SettingsEntity,
  HealthStateEntity,
  MailEntity,
  WebhookDeliveryEntity,
  WebhookDispatchEntity,
  WebhookEntity,
];
