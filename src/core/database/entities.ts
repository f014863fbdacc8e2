import { AiUsageEntity } from './entities/ai-usage.entity';
import { ApiKeyEntity } from './entities/api-key.entity';
import { AuditEntryEntity } from './entities/audit-entry.entity';
import { ConversationEntity } from './entities/conversation.entity';
import { DeploymentEntity } from './entities/deployment.entity';
import { EventOutboxEntity } from './entities/event-outbox.entity';
import { EventEntity } from './entities/event.entity';
import { IntegrationEntity } from './entities/integration.entity';
import { MessageCountEntity } from './entities/message-count.entity';
import { MessagePartEntity } from './entities/message-part.entity';
import { MessageTaskEntity } from './entities/message-task.entity';
import { MessageEntity } from './entities/message.entity';
import { ReplyTaskEntity } from './entities/reply-task.entity';
import { RollupEntity } from './entities/rollup.entity';
import { SettingsEntity } from './entities/settings.entity';

/** Every table, for the data source. Modules import the entity they need from its own file. */
export const ENTITIES = [
  AiUsageEntity,
  ApiKeyEntity,
  AuditEntryEntity,
  ConversationEntity,
  DeploymentEntity,
  EventEntity,
  EventOutboxEntity,
  IntegrationEntity,
  MessageCountEntity,
  MessageEntity,
  MessagePartEntity,
  MessageTaskEntity,
  ReplyTaskEntity,
  RollupEntity,
  SettingsEntity,
];
