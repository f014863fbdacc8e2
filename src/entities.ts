import { AiUsageEntity } from './ai/entities/ai-usage.entity';
import { ApiKeyEntity } from './api-keys/entities/api-key.entity';
import { AuditEntryEntity } from './admin/audit/audit-entry.entity';
import { ConversationCountChangeEntity } from './conversations/entities/conversation-count-change.entity';
import { ConversationCountEntity } from './conversations/entities/conversation-count.entity';
import { ConversationEntity } from './conversations/entities/conversation.entity';
import { DeploymentEntity } from './core/secrets/deployment.entity';
import { EarlyReceiptEntity } from './messages/entities/early-receipt.entity';
import { EventOutboxEntity } from './core/events/event-outbox.entity';
import { EventEntity } from './core/events/event.entity';
import { IdempotentRequestEntity } from './core/idempotency/idempotent-request.entity';
import { IntegrationHealthEntity } from './integrations/entities/integration-health.entity';
import { IntegrationEntity } from './integrations/entities/integration.entity';
import { MessageCountEntity } from './messages/entities/message-count.entity';
import { MessagePartEntity } from './messages/entities/message-part.entity';
import { PositionCheckpointEntity } from './messages/entities/position-checkpoint.entity';
import { MessageTaskEntity } from './messages/entities/message-task.entity';
import { MessageEntity } from './messages/entities/message.entity';
import { ParticipantAliasEntity } from './conversations/entities/participant-alias.entity';
import { ReplyTaskEntity } from './ai/entities/reply-task.entity';
import { RollupEntity } from './core/database/rollup.entity';
import { SettingsEntity } from './core/settings/settings.entity';
import { HealthStateEntity } from './status/entities/health-state.entity';
import { MailEntity } from './webhooks/entities/mail.entity';
import { WebhookDeliveryEntity } from './webhooks/entities/webhook-delivery.entity';
import { WebhookDispatchEntity } from './webhooks/entities/webhook-dispatch.entity';
import { WebhookEntity } from './webhooks/entities/webhook.entity';

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
  PositionCheckpointEntity,
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
