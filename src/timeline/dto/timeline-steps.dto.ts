import { ApiProperty, PickType } from '@nestjs/swagger';
import {
  CONFIRMATIONS,
  EVENT_TYPES,
  PART_STATUSES,
  PLATFORMS,
  SEND_FAILURES,
  TOOL_CALL_STATUSES,
  type Confirmation,
  type EventType,
  type PartStatus,
  type Platform,
  type ToolCallStatus,
} from '#contracts';
import { ApiId } from '../../core/openapi/api-id.decorator';
import { MessageDto, SendFailureDto, TokensDto } from '../../messages/dto/message.dto';

const NULLABLE_TEXT = { type: String, nullable: true } as const;
const NULLABLE_INTEGER = { type: 'integer', nullable: true } as const;

export class ReceivedStepDto extends PickType(MessageDto, ['sender']) {
  @ApiId('message', 'Id of the inbound message.')
  message_id!: string;

  @ApiId('conversation', 'Id of the conversation.')
  conversation_id!: string;

  @ApiProperty({ enum: PLATFORMS, description: 'Platform of the message.', example: 'telegram' })
  platform!: Platform;

  @ApiProperty({ description: 'Kind of content: text, image and so on.', example: 'text' })
  kind!: string;
}

const WAIT_REASONS = ['reply', 'replies_per_minute', 'platform'] as const;
export type WaitReason = (typeof WAIT_REASONS)[number];

export class WaitedStepDto {
  @ApiProperty({
    enum: WAIT_REASONS,
    description:
      'Reason for waiting. `reply`: the assistant had not started. `replies_per_minute`: that limit was reached. `platform`: the platform asked to wait, or was unreachable.',
  })
  reason!: WaitReason;

  @ApiProperty({
    type: 'integer',
    description: 'Waiting time in milliseconds; the time so far if the message still waits.',
    example: 12,
  })
  ms!: number;
}

export class AskedContextDto {
  @ApiProperty({ ...NULLABLE_TEXT, description: 'Oldest message that the model saw.' })
  first_message_id!: string | null;

  @ApiProperty({ ...NULLABLE_TEXT, description: 'Newest message to be answered.' })
  last_message_id!: string | null;

  @ApiProperty({
    description: 'SHA-256 of the system prompt, in lower-case hex.',
    example: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  })
  system_prompt_sha256!: string;
}

export class AskedStepDto {
  @ApiId('event', 'Id of the event `ai.request`.')
  event_id!: string;

  @ApiId('request', 'Id of the AI request.')
  request_id!: string;

  @ApiProperty({ description: 'Model that was asked.', example: 'claude-sonnet-5-5' })
  model!: string;

  @ApiProperty({ type: 'integer', description: 'Number of messages that the model saw.', example: 3 })
  context_messages!: number;

  @ApiProperty({
    type: AskedContextDto,
    nullable: true,
    description: 'Messages and system prompt that the model saw; null for requests of earlier versions.',
  })
  context!: AskedContextDto | null;

  @ApiProperty({ type: [String], description: 'Tools offered to the model.', example: [] })
  tools!: string[];
}

export class AnswerErrorDto {
  @ApiProperty({ description: 'Type of the failure.', example: 'overloaded' })
  type!: string;

  @ApiProperty({ description: 'Explanation of the failure.', example: 'The AI provider is overloaded.' })
  message!: string;

  @ApiProperty({ description: 'Whether the gateway retries.' })
  retryable!: boolean;
}

export class AnsweredStepDto {
  @ApiId('event', 'Id of the event that reports the answer or failure.')
  event_id!: string;

  @ApiProperty({ ...NULLABLE_TEXT, description: 'Id of the AI request.', example: 'req_01h455vb4pex5vsknk084sn02q' })
  request_id!: string | null;

  @ApiProperty({ description: 'Model that answered or failed.', example: 'claude-sonnet-5-5' })
  model!: string;

  @ApiProperty({ type: TokensDto, nullable: true, description: 'Tokens used; null without an answer.' })
  tokens!: TokensDto | null;

  @ApiProperty({ ...NULLABLE_INTEGER, description: 'Duration in milliseconds.', example: 840 })
  latency_ms!: number | null;

  @ApiProperty({ type: Number, nullable: true, description: 'Cost in US dollars.', example: 0.000471 })
  cost_usd!: number | null;

  @ApiProperty({ ...NULLABLE_TEXT, description: 'Why the model stopped.', example: 'end_turn' })
  stop_reason!: string | null;

  @ApiProperty({ type: [String], description: 'Tools that the model called.', example: [] })
  tool_calls!: string[];

  @ApiProperty({ type: AnswerErrorDto, nullable: true, description: 'Why there is no answer; null if there is one.' })
  error!: AnswerErrorDto | null;
}

export class ToolStepDto {
  @ApiId('tool_call', 'Id of the call.')
  call_id!: string;

  @ApiProperty({ description: 'Name of the tool.', example: 'order_status' })
  name!: string;

  @ApiProperty({ enum: TOOL_CALL_STATUSES, description: 'Outcome of the call.' })
  status!: ToolCallStatus;

  @ApiProperty({ type: 'integer', description: 'Duration in milliseconds.', example: 87 })
  ms!: number;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    nullable: true,
    description: 'Arguments of the call; null without the scope `admin:settings`.',
    example: { order_id: '1042' },
  })
  arguments!: object | null;

  @ApiProperty({
    ...NULLABLE_TEXT,
    description: 'First 4 KiB of the result; null if the call failed, and without the scope `admin:settings`.',
    example: '{"status":"shipped"}',
  })
  result!: string | null;

  @ApiProperty({
    ...NULLABLE_TEXT,
    description: 'Why the call failed; null without the scope `admin:settings`.',
    example: null,
  })
  error!: string | null;
}

export class StoredStepDto {
  @ApiId('message', 'Id of the outbound message.')
  message_id!: string;

  @ApiId('conversation', 'Id of the conversation.')
  conversation_id!: string;

  @ApiProperty({ enum: PLATFORMS, description: 'Platform of the message.' })
  platform!: Platform;

  @ApiProperty({
    ...NULLABLE_TEXT,
    description: 'Id of the API request or AI request that created the message; null if unknown.',
    example: 'req_01h455vb4pex5vsknk084sn02q',
  })
  request_id!: string | null;
}

export class PauseDto {
  @ApiProperty({ format: 'date-time', description: 'Time of the first of these attempts.' })
  at!: string;

  @ApiProperty({
    enum: [...Object.keys(SEND_FAILURES), 'markup_rejected'],
    description:
      'Why the attempts were repeated. `markup_rejected`: the platform rejected the markup, and the text was sent as plain text.',
  })
  reason!: string;

  @ApiProperty({ type: 'integer', minimum: 1, description: 'Number of consecutive attempts for this reason.' })
  attempts!: number;

  @ApiProperty({
    type: 'integer',
    description: 'Time in milliseconds that the gateway waited after them.',
    example: 1_000,
  })
  ms!: number;
}

export class SentPartDto {
  @ApiProperty({ type: 'integer', description: 'Position of the part in the message, from 0.' })
  index!: number;

  @ApiProperty({ enum: PART_STATUSES, description: 'Status of the part.' })
  status!: PartStatus;

  @ApiProperty({ ...NULLABLE_TEXT, description: 'Id of the part on the platform.', example: '48213907:12' })
  platform_message_id!: string | null;

  @ApiProperty({
    ...NULLABLE_TEXT,
    format: 'date-time',
    description: 'When the platform accepted or rejected the part.',
  })
  at!: string | null;

  @ApiProperty({ type: 'integer', minimum: 1, description: 'Number of times the gateway sent the part.' })
  attempts!: number;

  @ApiProperty({ type: [PauseDto], description: 'Attempts that were retried.', example: [] })
  pauses!: PauseDto[];
}

export class SentStepDto {
  @ApiId('message', 'Id of the outbound message.')
  message_id!: string;

  @ApiProperty({ type: [SentPartDto], description: 'Parts of the message.' })
  parts!: SentPartDto[];
}

const NOT_SENT_REASONS = ['taken_over', 'failed', 'messages_per_minute', 'budget', 'person', 'billable'] as const;
export type NotSentReason = (typeof NOT_SENT_REASONS)[number];

export class NotSentStepDto {
  @ApiProperty({
    ...NULLABLE_TEXT,
    description: 'Id of the outbound message; null if none was created.',
    example: 'msg_01h455vb4pex5vsknk084sn02q',
  })
  message_id!: string | null;

  @ApiProperty({
    enum: NOT_SENT_REASONS,
    description:
      'Why the message was not sent. `taken_over`: a person took over the conversation (`error` is null, or the failure of an answer that was already stored). `failed`: see `error`. Other values name the limit that refused the answer.',
  })
  reason!: NotSentReason;

  @ApiProperty({ type: SendFailureDto, nullable: true, description: 'Why the message failed.' })
  error!: SendFailureDto | null;

  @ApiProperty({ type: [SentPartDto], description: 'Parts that were sent.', example: [] })
  parts!: SentPartDto[];
}

const RECEIPT_STATUSES = ['delivered', 'read', 'failed', 'reacted'] as const;
type ReceiptStatus = (typeof RECEIPT_STATUSES)[number];

export class ReceiptStepDto {
  @ApiId('message', 'Id of the outbound message; for a reaction, of a message in either direction.')
  message_id!: string;

  @ApiProperty({
    enum: RECEIPT_STATUSES,
    description: 'Latest state of the message. `reacted`: the person reacted to it.',
  })
  status!: ReceiptStatus;

  @ApiProperty({ enum: CONFIRMATIONS, nullable: true, description: 'Source of the delivery confirmation.' })
  confirmation!: Confirmation | null;

  @ApiProperty({ type: SendFailureDto, nullable: true, description: 'Why the platform could not deliver the message.' })
  error!: SendFailureDto | null;

  @ApiProperty({
    ...NULLABLE_TEXT,
    description: 'Newest reaction of the person; null for other states, and if the reaction was removed.',
    example: null,
  })
  reaction!: string | null;
}

export class EventStepDto {
  @ApiId('event', 'Id of the event.')
  event_id!: string;

  @ApiProperty({ enum: EVENT_TYPES, description: 'Type of the event.' })
  type!: EventType;

  @ApiProperty({
    ...NULLABLE_TEXT,
    description: 'Id of the message that the event is about, if any.',
    example: 'msg_01h455vb4pex5vsknk084sn02q',
  })
  message_id!: string | null;
}

export class WebhookStepDto {
  @ApiId('delivery', 'Id of the delivery (one attempt).')
  delivery_id!: string;

  @ApiId('webhook', 'Id of the webhook.')
  webhook_id!: string;

  @ApiId('event', 'Id of the event that was posted.')
  event_id!: string;

  @ApiProperty({ enum: EVENT_TYPES, description: 'Type of the event.' })
  event_type!: EventType;

  @ApiProperty({
    ...NULLABLE_TEXT,
    description: 'URL that received the POST.',
    example: 'https://example.com/hooks/gateway',
  })
  url!: string | null;

  @ApiProperty({ type: 'integer', minimum: 1, description: 'Number of the attempt.' })
  attempt!: number;

  @ApiProperty({ enum: ['success', 'failed'], description: 'Outcome; `success` means that the receiver answered 2xx.' })
  status!: 'success' | 'failed';

  @ApiProperty({
    ...NULLABLE_INTEGER,
    description: 'HTTP status of the response; null if there was none.',
    example: 204,
  })
  response_code!: number | null;

  @ApiProperty({ type: 'integer', description: 'Duration of the request and response, in milliseconds.', example: 87 })
  response_time_ms!: number;

  @ApiProperty({ ...NULLABLE_TEXT, description: 'Why the attempt failed.' })
  error!: string | null;

  @ApiProperty({
    ...NULLABLE_TEXT,
    format: 'date-time',
    description: 'When the next attempt is due; null if there is none.',
  })
  next_retry_at!: string | null;
}

export class AuditStepDto {
  @ApiId('audit_entry', 'Id of the entry in the audit log.')
  entry_id!: string;

  @ApiId('request', 'Id of the request.')
  request_id!: string;

  @ApiProperty({
    ...NULLABLE_TEXT,
    description: 'Id of the key that made the request.',
    example: 'key_01h455vb4pex5vsknk084sn02q',
  })
  key_id!: string | null;

  @ApiProperty({ ...NULLABLE_TEXT, description: 'Masked key.', example: 'service_sk_live_…Xk9b' })
  masked_key!: string | null;

  @ApiProperty({ description: 'HTTP method.', example: 'POST' })
  method!: string;

  @ApiProperty({ description: 'Path without the query.', example: '/api/v1/messages/send' })
  path!: string;

  @ApiProperty({ ...NULLABLE_TEXT, description: 'Route of the request.', example: '/api/v1/messages/send' })
  route!: string | null;

  @ApiProperty({ type: 'integer', description: 'HTTP status of the response.', example: 200 })
  status!: number;

  @ApiProperty({ description: 'Address of the client.', example: '203.0.113.9' })
  client_ip!: string;

  @ApiProperty({ description: 'Duration in milliseconds.', example: 3.2 })
  duration_ms!: number;
}
