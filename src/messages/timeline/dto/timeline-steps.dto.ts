import { ApiProperty } from '@nestjs/swagger';
import {
  CONFIRMATIONS,
  EVENT_TYPES,
  PART_STATUSES,
  PLATFORMS,
  SEND_FAILURES,
  type Confirmation,
  type EventType,
  type PartStatus,
  type Platform,
} from '#contracts';
import { ApiId } from '../../../core/openapi/api-id.decorator';
import { SendFailureDto, TokensDto } from '../../dto/message.dto';

const NULLABLE_TEXT = { type: String, nullable: true } as const;
const NULLABLE_INTEGER = { type: 'integer', nullable: true } as const;

export class ReceivedStepDto {
  @ApiId('message', 'The message that came in.')
  message_id!: string;

  @ApiId('conversation', 'Its conversation.')
  conversation_id!: string;

  @ApiProperty({ enum: PLATFORMS, description: 'Where it came from.', example: 'telegram' })
  platform!: Platform;

  @ApiProperty({ description: 'What it is: text, image and so on.', example: 'text' })
  kind!: string;
}

const WAIT_REASONS = ['reply', 'replies_per_minute', 'platform'] as const;
export type WaitReason = (typeof WAIT_REASONS)[number];

export class WaitedStepDto {
  @ApiProperty({
    enum: WAIT_REASONS,
    description:
      '`reply`: the message waited until the assistant took it up. `replies_per_minute`: that limit made it wait. `platform`: the platform asked to wait, or could not be reached.',
  })
  reason!: WaitReason;

  @ApiProperty({
    type: 'integer',
    description: 'How long, in milliseconds; the time so far if it still waits.',
    example: 12,
  })
  ms!: number;
}

export class AskedContextDto {
  @ApiProperty({ ...NULLABLE_TEXT, description: 'The oldest message that the model saw.' })
  first_message_id!: string | null;

  @ApiProperty({ ...NULLABLE_TEXT, description: 'The newest message that was to be answered.' })
  last_message_id!: string | null;

  @ApiProperty({
    description: 'SHA-256 of the system prompt, in lower-case hex.',
    example: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  })
  system_prompt_sha256!: string;
}

export class AskedStepDto {
  @ApiId('event', 'The event `ai.request`.')
  event_id!: string;

  @ApiId('request', 'The AI request.')
  request_id!: string;

  @ApiProperty({ description: 'The model that was asked.', example: 'claude-sonnet-5-5' })
  model!: string;

  @ApiProperty({ type: 'integer', description: 'How many messages the model saw.', example: 3 })
  context_messages!: number;

  @ApiProperty({
    type: AskedContextDto,
    nullable: true,
    description: 'Which messages and which system prompt it saw; null for a request of an earlier version.',
  })
  context!: AskedContextDto | null;

  @ApiProperty({ type: [String], description: 'The tools that it was offered.', example: [] })
  tools!: string[];
}

export class AnswerErrorDto {
  @ApiProperty({ description: 'The kind of failure.', example: 'overloaded' })
  type!: string;

  @ApiProperty({ description: 'The same in a sentence.', example: 'The AI provider is overloaded.' })
  message!: string;

  @ApiProperty({ description: 'Whether the gateway asks again.' })
  retryable!: boolean;
}

export class AnsweredStepDto {
  @ApiId('event', 'The event that reports it.')
  event_id!: string;

  @ApiProperty({ ...NULLABLE_TEXT, description: 'The AI request.', example: 'req_01h455vb4pex5vsknk084sn02q' })
  request_id!: string | null;

  @ApiProperty({ description: 'The model that answered or failed.', example: 'claude-sonnet-5-5' })
  model!: string;

  @ApiProperty({ type: TokensDto, nullable: true, description: 'What it used; null without an answer.' })
  tokens!: TokensDto | null;

  @ApiProperty({ ...NULLABLE_INTEGER, description: 'How long it took, in milliseconds.', example: 840 })
  latency_ms!: number | null;

  @ApiProperty({ type: Number, nullable: true, description: 'What it cost, in US dollars.', example: 0.000471 })
  cost_usd!: number | null;

  @ApiProperty({ ...NULLABLE_TEXT, description: 'Why the model stopped.', example: 'end_turn' })
  stop_reason!: string | null;

  @ApiProperty({ type: [String], description: 'The tools that the model called.', example: [] })
  tool_calls!: string[];

  @ApiProperty({ type: AnswerErrorDto, nullable: true, description: 'Why there is no answer; null with one.' })
  error!: AnswerErrorDto | null;
}

export class StoredStepDto {
  @ApiId('message', 'The outbound message.')
  message_id!: string;

  @ApiId('conversation', 'Its conversation.')
  conversation_id!: string;

  @ApiProperty({ enum: PLATFORMS, description: 'Where it goes.' })
  platform!: Platform;

  @ApiProperty({
    ...NULLABLE_TEXT,
    description: 'The request that it came with, or the AI request that made it; null if it is not known.',
    example: 'req_01h455vb4pex5vsknk084sn02q',
  })
  request_id!: string | null;
}

export class PauseDto {
  @ApiProperty({ format: 'date-time', description: 'When the first of these attempts was made.' })
  at!: string;

  @ApiProperty({
    enum: [...Object.keys(SEND_FAILURES), 'markup_rejected'],
    description:
      'Why it was repeated; `markup_rejected`: the platform could not read the markup, and the text was sent as plain text.',
  })
  reason!: string;

  @ApiProperty({ type: 'integer', minimum: 1, description: 'Attempts in a row for this reason.' })
  attempts!: number;

  @ApiProperty({
    type: 'integer',
    description: 'How long the gateway waited after them, in milliseconds.',
    example: 1_000,
  })
  ms!: number;
}

export class SentPartDto {
  @ApiProperty({ type: 'integer', description: 'Its place in the message, from 0.' })
  index!: number;

  @ApiProperty({ enum: PART_STATUSES, description: 'Its status.' })
  status!: PartStatus;

  @ApiProperty({ ...NULLABLE_TEXT, description: 'Its id at the platform.', example: '48213907:12' })
  platform_message_id!: string | null;

  @ApiProperty({ ...NULLABLE_TEXT, format: 'date-time', description: 'When the platform accepted or refused it.' })
  at!: string | null;

  @ApiProperty({ type: 'integer', minimum: 1, description: 'How often the gateway sent it.' })
  attempts!: number;

  @ApiProperty({ type: [PauseDto], description: 'The attempts that were retried.', example: [] })
  pauses!: PauseDto[];
}

export class SentStepDto {
  @ApiId('message', 'The outbound message.')
  message_id!: string;

  @ApiProperty({ type: [SentPartDto], description: 'Its parts.' })
  parts!: SentPartDto[];
}

const NOT_SENT_REASONS = ['taken_over', 'failed', 'messages_per_minute', 'budget', 'person', 'billable'] as const;
export type NotSentReason = (typeof NOT_SENT_REASONS)[number];

export class NotSentStepDto {
  @ApiProperty({
    ...NULLABLE_TEXT,
    description: 'The outbound message; null if none was made.',
    example: 'msg_01h455vb4pex5vsknk084sn02q',
  })
  message_id!: string | null;

  @ApiProperty({
    enum: NOT_SENT_REASONS,
    description:
      '`taken_over`: a person took the conversation over (then `error` is null, or the failure of an answer that was stored already). `failed`: see `error`. The others: that limit refused the answer.',
  })
  reason!: NotSentReason;

  @ApiProperty({ type: SendFailureDto, nullable: true, description: 'Why the message failed.' })
  error!: SendFailureDto | null;

  @ApiProperty({ type: [SentPartDto], description: 'Its parts, as far as they were sent.', example: [] })
  parts!: SentPartDto[];
}

const RECEIPT_STATUSES = ['delivered', 'read', 'failed', 'reacted'] as const;
type ReceiptStatus = (typeof RECEIPT_STATUSES)[number];

export class ReceiptStepDto {
  @ApiId('message', 'The message: an outbound one, and for a reaction one of either direction.')
  message_id!: string;

  @ApiProperty({
    enum: RECEIPT_STATUSES,
    description: 'The latest state. `reacted`: the person reacted to the message.',
  })
  status!: ReceiptStatus;

  @ApiProperty({ enum: CONFIRMATIONS, nullable: true, description: 'Who confirmed the delivery.' })
  confirmation!: Confirmation | null;

  @ApiProperty({ type: SendFailureDto, nullable: true, description: 'Why the platform could not deliver it.' })
  error!: SendFailureDto | null;

  @ApiProperty({
    ...NULLABLE_TEXT,
    description: 'The newest reaction of a person; null for others, and when it was taken back.',
    example: null,
  })
  reaction!: string | null;
}

export class EventStepDto {
  @ApiId('event', 'The event.')
  event_id!: string;

  @ApiProperty({ enum: EVENT_TYPES, description: 'Its type.' })
  type!: EventType;

  @ApiProperty({
    ...NULLABLE_TEXT,
    description: 'The message that it is about, if any.',
    example: 'msg_01h455vb4pex5vsknk084sn02q',
  })
  message_id!: string | null;
}

export class WebhookStepDto {
  @ApiId('delivery', 'The attempt.')
  delivery_id!: string;

  @ApiId('webhook', 'The webhook.')
  webhook_id!: string;

  @ApiId('event', 'The event that was posted.')
  event_id!: string;

  @ApiProperty({ enum: EVENT_TYPES, description: 'Its type.' })
  event_type!: EventType;

  @ApiProperty({ ...NULLABLE_TEXT, description: 'Where it was posted.', example: 'https://example.com/hooks/gateway' })
  url!: string | null;

  @ApiProperty({ type: 'integer', minimum: 1, description: 'Which attempt it was.' })
  attempt!: number;

  @ApiProperty({ enum: ['success', 'failed'], description: 'Success: the receiver answered 2xx.' })
  status!: 'success' | 'failed';

  @ApiProperty({ ...NULLABLE_INTEGER, description: 'HTTP status of the answer; null without one.', example: 204 })
  response_code!: number | null;

  @ApiProperty({ type: 'integer', description: 'How long the exchange took, in milliseconds.', example: 87 })
  response_time_ms!: number;

  @ApiProperty({ ...NULLABLE_TEXT, description: 'Why it failed.' })
  error!: string | null;

  @ApiProperty({
    ...NULLABLE_TEXT,
    format: 'date-time',
    description: 'When the next attempt follows; null if there is none.',
  })
  next_retry_at!: string | null;
}

export class AuditStepDto {
  @ApiId('audit_entry', 'The entry of the audit log.')
  entry_id!: string;

  @ApiId('request', 'The request.')
  request_id!: string;

  @ApiProperty({ ...NULLABLE_TEXT, description: 'The key that made it.', example: 'key_01h455vb4pex5vsknk084sn02q' })
  key_id!: string | null;

  @ApiProperty({ ...NULLABLE_TEXT, description: 'The key, masked.', example: 'service_sk_live_…Xk9b' })
  masked_key!: string | null;

  @ApiProperty({ description: 'HTTP method.', example: 'POST' })
  method!: string;

  @ApiProperty({ description: 'Path without its query.', example: '/api/v1/messages/send' })
  path!: string;

  @ApiProperty({ ...NULLABLE_TEXT, description: 'The route.', example: '/api/v1/messages/send' })
  route!: string | null;

  @ApiProperty({ type: 'integer', description: 'HTTP status of the answer.', example: 200 })
  status!: number;

  @ApiProperty({ description: 'Address of the client.', example: '203.0.113.9' })
  client_ip!: string;

  @ApiProperty({ description: 'How long it took, in milliseconds.', example: 3.2 })
  duration_ms!: number;
}
