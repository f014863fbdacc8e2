import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  CONVERSATION_STATUSES,
  DIRECTIONS,
  HANDLINGS,
  MESSAGE_SENDERS,
  MESSAGE_STATUSES,
  PLATFORMS,
  type ConversationStatus,
  type Direction,
  type Handling,
  type MessageSender,
  type MessageStatus,
  type Platform,
} from '#contracts';
import { ShownAccountDto } from '../../accounts/dto/shown-account.dto';
import { AttachmentDto } from '../../media/dto/attachment.dto';
import { ApiId } from '../../core/openapi/api-id.decorator';
import { Example } from '../../core/openapi/example.decorator';
import { LastErrorDto } from './last-error.dto';
import { MessageDetailsDto } from './message-details.dto';
import { HandoverDto } from '../handover/handover.dto';

export class ParticipantDto {
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Id on the platform, to use as `recipient` of a send. Null once the conversation is erased.',
    example: '48213907',
  })
  id!: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Name on the platform.',
    example: 'Ada Lovelace',
  })
  name!: string | null;

  @ApiProperty({ type: String, nullable: true, description: 'Username on the platform.', example: 'ada' })
  username!: string | null;
}

export class ConversationMessageDto extends MessageDetailsDto {
  @ApiId('message', 'Id of the message.')
  id!: string;

  @ApiProperty({ enum: DIRECTIONS, description: 'Direction of the message.' })
  direction!: Direction;

  @ApiProperty({ description: 'Text of the message.', example: 'Hello!' })
  content!: string;

  @ApiProperty({
    enum: MESSAGE_SENDERS,
    nullable: true,
    description: 'Author of an outbound message; null for inbound messages.',
  })
  sent_by!: MessageSender | null;

  @ApiProperty({ format: 'date-time', description: 'When the gateway stored the message.' })
  created_at!: string;

  @ApiProperty({ type: [AttachmentDto], description: 'Files, places and contacts of the message, in order.' })
  attachments!: AttachmentDto[];
}

export class LastMessageDto {
  @ApiId('message', 'Id of the message.')
  id!: string;

  @ApiProperty({ enum: DIRECTIONS, description: 'Direction of the message.' })
  direction!: Direction;

  @ApiProperty({ enum: MESSAGE_STATUSES, description: 'Status of the message.' })
  status!: MessageStatus;

  @ApiProperty({ description: 'First 200 characters of the text.', example: 'Hello!' })
  content!: string;
}

export class LastInboundDto {
  @ApiId('message', 'Id of the message.')
  id!: string;

  @ApiProperty({ description: 'First 200 characters of the text.', example: 'Do you sell umbrellas?' })
  content!: string;
}

const EXAMPLE = {
  platform: 'telegram',
  created_at: '2026-01-29T16:02:45.870Z',
  last_message_at: '2026-01-31T11:58:21.034Z',
};

@Example({ ...EXAMPLE, handling: 'human', last_error: null })
export class ConversationListItemDto {
  @ApiId('conversation', 'Id of the conversation.')
  id!: string;

  @ApiProperty({ enum: PLATFORMS, description: 'Platform of the conversation.' })
  platform!: Platform;

  @ApiProperty({ description: 'Account of the platform that has the conversation.' })
  account!: ShownAccountDto;

  @ApiProperty({ description: 'Person or group on the other side.' })
  participant!: ParticipantDto;

  @ApiProperty({ type: 'integer', description: 'Number of messages in both directions.', example: 12 })
  message_count!: number;

  @ApiProperty({ format: 'date-time', description: 'When the newest message was stored.' })
  last_message_at!: string;

  @ApiProperty({ format: 'date-time', description: 'When the conversation began.' })
  created_at!: string;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'When the personal data was erased; null if it was not.',
  })
  erased_at!: string | null;

  @ApiId('conversation', 'The older conversation of the same person, which it was merged into; null: it was not.', {
    nullable: true,
  })
  merged_into!: string | null;

  @ApiProperty({
    enum: HANDLINGS,
    description:
      'Who handles the conversation. `assistant`: the assistant answers. `requested`: it waits for a person, and the assistant is silent. `human`: a person has taken over.',
  })
  handling!: Handling;

  @ApiProperty({
    type: HandoverDto,
    nullable: true,
    description: 'Request for a person, or takeover; null while `handling` is `assistant`.',
  })
  handover!: HandoverDto | null;

  @ApiProperty({ type: [String], description: 'Labels of the conversation.', example: ['vip'] })
  labels!: string[];

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'string' },
    description: 'Metadata of the conversation: texts by key.',
    example: { order: '4711' },
  })
  metadata!: Record<string, string>;

  @ApiProperty({
    type: LastErrorDto,
    nullable: true,
    description: 'Why the newest message has no answer; null unless the conversation is unanswered.',
  })
  last_error!: LastErrorDto | null;

  @ApiPropertyOptional({
    type: LastMessageDto,
    nullable: true,
    description:
      'Newest message; only in lists with `expand=last_message`. Null if retention has removed all messages.',
  })
  last_message?: LastMessageDto | null;

  @ApiPropertyOptional({
    type: LastInboundDto,
    nullable: true,
    description:
      'Newest message of the person; only in lists with `expand=last_message`. Null if none of the newest 50 messages is from the person.',
  })
  last_inbound?: LastInboundDto | null;

  @ApiPropertyOptional({
    type: String,
    format: 'date-time',
    nullable: true,
    description:
      'When the next scheduled message is sent; only in lists with `expand=last_message`. Null if none is scheduled.',
  })
  next_send_at?: string | null;
}

export class ReplyWindowDto {
  @ApiProperty({ description: 'Whether free text can be sent now.' })
  open!: boolean;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: "24 hours after the participant's last message; null if none is stored: then WhatsApp decides.",
  })
  expires_at!: string | null;
}

export class MarketingStopDto {
  @ApiProperty({
    format: 'date-time',
    description: 'When the person stopped marketing messages, or the platform last refused one.',
  })
  since!: string;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description:
      'When the gateway sends marketing messages again, if only a refused message revealed the stop; null if only the person can allow them again.',
  })
  until!: string | null;
}

@Example({
  ...EXAMPLE,
  handling: 'assistant',
  handover: null,
  last_error: null,
  ai_paused: false,
  window: null,
  marketing_stop: null,
})
export class ConversationDto extends ConversationListItemDto {
  @ApiProperty({ enum: CONVERSATION_STATUSES, description: 'Status of the conversation.' })
  status!: ConversationStatus;

  @ApiProperty({ description: 'Whether the assistant is silent. True unless `handling` is `assistant`.' })
  ai_paused!: boolean;

  @ApiProperty({
    type: ReplyWindowDto,
    nullable: true,
    description:
      'Window in which WhatsApp accepts free text; outside it, only templates can be sent. Null for other platforms.',
  })
  window!: ReplyWindowDto | null;

  @ApiProperty({
    type: MarketingStopDto,
    nullable: true,
    description:
      'The person has stopped marketing messages (WhatsApp): marketing templates fail with `opted_out`. Null if no stop is known.',
  })
  marketing_stop!: MarketingStopDto | null;

  @ApiPropertyOptional({
    type: String,
    format: 'date-time',
    nullable: true,
    description:
      'When the AI context was last cleared; only with `expand=context`. The assistant sees only later messages. Null if never.',
  })
  cleared_at?: string | null;

  @ApiPropertyOptional({
    type: [ConversationMessageDto],
    description: 'Newest messages, oldest first; only with `include_messages`.',
  })
  messages?: ConversationMessageDto[];
}

export class ErasedConversationDto {
  @ApiId('conversation', 'Id of the conversation.')
  id!: string;

  @ApiProperty({ enum: [true], description: 'The conversation can still be read, without content and participant.' })
  erased!: true;

  @ApiProperty({ format: 'date-time', description: 'When the erasure was first requested.' })
  erased_at!: string;
}

export class ClearedConversationDto {
  @ApiId('conversation', 'Id of the conversation.')
  conversation_id!: string;

  @ApiProperty({ format: 'date-time', description: 'When the AI context was cleared.' })
  cleared_at!: string;

  @ApiProperty({
    type: 'integer',
    description: 'Number of messages removed from the context.',
    example: 12,
  })
  messages_cleared!: number;
}
