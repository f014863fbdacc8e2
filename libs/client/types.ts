import type { AnswerAt, Body, Data, Item, Meta, Query } from './transport/operation';

export type MessageSendParams = Body<'messages.send'>;
export type SendResult = Data<'messages.send'>;
export type MessageListParams = Query<'messages.list'>;
export type MessageItem = Item<'messages.list'>;
export type CancelledMessage = Data<'messages.cancel'>;
export type Message = Data<'messages.get'>;
export type TimelineStep = Item<'messages.getTimeline'>;
export interface Timeline {
  summary: AnswerAt<'/api/v1/messages/{message_id}/timeline'>['meta']['summary'];
  /** Oldest first. */
  steps: TimelineStep[];
  /** Steps left out because the key may not see them. */
  omitted: TimelineStep['step'][];
}

export type Attachment = Data<'attachments.get'>;

export type TemplateListParams = Query<'templates.list'>;
export type Template = Item<'templates.list'>;
export type TemplateSync = Data<'templates.sync'>;

export type ConversationListParams = Query<'conversations.list'>;
export type ConversationItem = Item<'conversations.list'>;
export type ConversationGetParams = Query<'conversations.get'>;
export type Conversation = Data<'conversations.get'>;
export type ConversationUpdateParams = Body<'conversations.update'>;
export type ConversationTakeOverParams = Body<'conversations.takeOver'>;
export type HandoverListParams = Query<'conversations.listHandovers'>;
export type PastHandover = Item<'conversations.listHandovers'>;
export type ClearedConversation = Data<'conversations.clear'>;
export type ErasedConversation = Data<'conversations.erase'>;

export type AiGenerateParams = Body<'ai.generate'>;
export type GeneratedAnswer = Data<'ai.generate'>;
export type AiPreviewParams = Body<'ai.preview'>;
export type AiStatus = Data<'ai.getStatus'>;
export type AiProvider = Item<'ai.listProviders'>;
export type AiProviderName = AiProvider['name'];
export type AiProviderSetParams = Body<'ai.setProvider'>;
export type DeletedAiProvider = Data<'ai.deleteProvider'>;
export type AiProviderModel = Item<'ai.listModels'>;

export type Integration = Item<'integrations.list'>;
export type AccountCreateParams = Body<'integrations.create'>;
export type AccountUpdateParams = Body<'integrations.update'>;
export type DeletedAccount = Data<'integrations.delete'>;
export type Reconnection = Data<'integrations.reconnect'>;

export type StatusGetParams = Query<'status.get'>;
export type Status = Data<'status.get'>;

export type ProblemListParams = Query<'problems.list'>;
export type Problem = Item<'problems.list'>;
export type DismissedProblem = Data<'problems.dismiss'>;

export type ToolCreateParams = Body<'tools.create'>;
export type CreatedTool = Data<'tools.create'>;
export type ToolListParams = Query<'tools.list'>;
export type Tool = Item<'tools.list'>;
export type ToolUpdateParams = Body<'tools.update'>;
export type DeletedTool = Data<'tools.delete'>;
export type ToolTestParams = Body<'tools.test'>;
export type TestedTool = Data<'tools.test'>;
export type ToolCallListParams = Query<'tools.listCalls'>;
export type ToolCall = Item<'tools.listCalls'>;

export type WebhookCreateParams = Body<'webhooks.create'>;
export type CreatedWebhook = Data<'webhooks.create'>;
export type WebhookListParams = Query<'webhooks.list'>;
export type Webhook = Item<'webhooks.list'>;
export type WebhookDetail = Data<'webhooks.get'>;
export type WebhookUpdateParams = Body<'webhooks.update'>;
export type DeletedWebhook = Data<'webhooks.delete'>;
export type DeliveryListParams = Query<'webhooks.listDeliveries'>;
export type Delivery = Item<'webhooks.listDeliveries'>;
export type DeliveryDetail = Data<'webhooks.getDelivery'>;
export type Redelivery = Data<'webhooks.redeliver'>;
export type WebhookReplayParams = Body<'webhooks.replay'>;
export type Replay = Data<'webhooks.replay'>;
export type StoredEvent = Data<'events.get'>;
export type EventTypeDescription = Item<'eventTypes.list'>;

export type ApiKeyCreateParams = Body<'apiKeys.create'>;
export type CreatedApiKey = Data<'apiKeys.create'>;
export type ApiKeyListParams = Query<'apiKeys.list'>;
export type ApiKey = Item<'apiKeys.list'>;
export type ApiKeyUpdateParams = Body<'apiKeys.update'>;
export type ApiKeyRollParams = Body<'apiKeys.roll'>;
export type ApiKeyUsageParams = Query<'apiKeys.getUsage'>;
export type ApiKeyUsage = Data<'apiKeys.getUsage'>;
export type RevokedApiKey = Data<'apiKeys.revoke'>;

export type Settings = Data<'settings.get'>;
export type SettingsUpdateParams = Body<'settings.update'>;
export type StatisticsGetParams = Query<'statistics.get'>;
export type Statistics = Data<'statistics.get'>;
export type PlatformUsageParams = Query<'statistics.getPlatformUsage'>;
export type PlatformUsage = Data<'statistics.getPlatformUsage'>;
export type AiUsageParams = Query<'statistics.getAiUsage'>;
export type AiUsage = Data<'statistics.getAiUsage'>;
export type AuditLogListParams = Query<'auditLog.list'>;
export type AuditEntry = Item<'auditLog.list'>;
export type BackupCreateParams = Body<'backups.create'>;
export type BackupListParams = Query<'backups.list'>;
export type Backup = Item<'backups.list'>;
export type BackupsMeta = Meta<'backups.list'>;
export type BackupSchedule = BackupsMeta['schedule'];

export type SandboxPlayParams = Body<'sandbox.play'>;
export type PlayedInbound = Data<'sandbox.play'>;
