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
import { AttachmentDto } from '../../media/dto/attachment.dto';
import { ApiId } from '../../core/openapi/api-id.decorator';
import { Example } from '../../core/openapi/example.decorator';
import { MessageDetailsDto } from './message-details.dto';
import { HandoverDto } from '../handover/handover.dto';

export class ParticipantDto {
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The id at the platform: what `recipient` of a send takes. Null once the conversation is erased.',
    example: '48213907',
  })
  id!: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The name shown at the platform.',
    example: 'Ada Lovelace',
  })
  name!: string | null;

  @ApiProperty({ type: String, nullable: true, description: 'The user name at the platform.', example: 'ada' })
  username!: string | null;
}

export class ConversationMessageDto extends MessageDetailsDto {
  @ApiId('message', 'Message id.')
  id!: string;

  @ApiProperty({ enum: DIRECTIONS, description: 'Whether it came in or went out.' })
  direction!: Direction;

  @ApiProperty({ description: 'The text.', example: 'Hello!' })
  content!: string;

  @ApiProperty({
    enum: MESSAGE_SENDERS,
    nullable: true,
    description: 'Who wrote it; null for inbound messages.',
  })
  sent_by!: MessageSender | null;

  @ApiProperty({ format: 'date-time', description: 'When the gateway stored it.' })
  created_at!: string;

  @ApiProperty({ type: [AttachmentDto], description: 'Its files, places and contacts, in order.' })
  attachments!: AttachmentDto[];
}

export class LastMessageDto {
  @ApiId('message', 'Message id.')
  id!: string;

  @ApiProperty({ enum: DIRECTIONS, description: 'Whether it came in or went out.' })
  direction!: Direction;

  @ApiProperty({ enum: MESSAGE_STATUSES, description: 'Its status.' })
  status!: MessageStatus;

  @ApiProperty({ description: 'The first 200 characters of its text.', example: 'Hello!' })
  content!: string;
}

const EXAMPLE = {
  platform: 'telegram',
  created_at: '2026-01-29T16:02:45.870Z',
  last_message_at: '2026-01-31T11:58:21.034Z',
};

@Example({ ...EXAMPLE, handling: 'human' })
export class ConversationListItemDto {
  @ApiId('conversation', 'Conversation id.')
  id!: string;

  @ApiProperty({ enum: PLATFORMS, description: 'The platform it takes place on.' })
  platform!: Platform;

  @ApiProperty({ description: 'The person or group on the other side.' })
  participant!: ParticipantDto;

  @ApiProperty({ type: 'integer', description: 'How many messages it has, in both directions.', example: 12 })
  message_count!: number;

  @ApiProperty({ format: 'date-time', description: 'When the newest message was stored.' })
  last_message_at!: string;

  @ApiProperty({ format: 'date-time', description: 'When the conversation began.' })
  created_at!: string;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'When its personal data was erased; null: it was not.',
  })
  erased_at!: string | null;

  @ApiProperty({
    enum: HANDLINGS,
    description:
      '`assistant`: it answers. `requested`: a person should take over, the assistant is silent. `human`: a person has it.',
  })
  handling!: Handling;

  @ApiProperty({
    type: HandoverDto,
    nullable: true,
    description: 'The request for a person, or the takeover; null while `handling` is `assistant`.',
  })
  handover!: HandoverDto | null;

  @ApiPropertyOptional({
    type: LastMessageDto,
    nullable: true,
    description:
      'In lists with `expand=last_message`: the newest message. Null where retention has removed all of them.',
  })
  last_message?: LastMessageDto | null;
}

export class ReplyWindowDto {
  @ApiProperty({ description: 'Whether free text can be sent now.' })
  open!: boolean;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: "24 hours after the participant's last message; null without a stored one: WhatsApp decides then.",
  })
  expires_at!: string | null;
}

export class MarketingStopDto {
  @ApiProperty({ format: 'date-time', description: 'When the person stopped them, or the platform last refused one.' })
  since!: string;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description:
      'When the gateway tries again, if only a refused message told of the stop; null: when the person allows them.',
  })
  until!: string | null;
}

@Example({ ...EXAMPLE, handling: 'assistant', handover: null, ai_paused: false, window: null, marketing_stop: null })
export class ConversationDto extends ConversationListItemDto {
  @ApiProperty({ enum: CONVERSATION_STATUSES, description: 'Whether it is in use.' })
  status!: ConversationStatus;

  @ApiProperty({ description: 'Whether the assistant is silent: true unless `handling` is `assistant`.' })
  ai_paused!: boolean;

  @ApiProperty({
    type: ReplyWindowDto,
    nullable: true,
    description: 'When WhatsApp takes free text: outside it only a template arrives. Null for other platforms.',
  })
  window!: ReplyWindowDto | null;

  @ApiProperty({
    type: MarketingStopDto,
    nullable: true,
    description:
      'The person takes no marketing templates (WhatsApp): they fail with `opted_out`. Null: no stop is known.',
  })
  marketing_stop!: MarketingStopDto | null;

  @ApiPropertyOptional({
    type: String,
    format: 'date-time',
    nullable: true,
    description:
      'With `expand=context`: the watermark, when the AI context was last cleared. The assistant sees later messages alone. Null if never.',
  })
  cleared_at?: string | null;

  @ApiPropertyOptional({
    type: [ConversationMessageDto],
    description: 'With `include_messages`: the newest ones, oldest first.',
  })
  messages?: ConversationMessageDto[];
}

export class ErasedConversationDto {
  @ApiId('conversation', 'Conversation id.')
  id!: string;

  @ApiProperty({ enum: [true], description: 'It can be read, without content and participant.' })
  erased!: true;

  @ApiProperty({ format: 'date-time', description: 'When it was first asked for.' })
  erased_at!: string;
}

export class ClearedConversationDto {
  @ApiId('conversation', 'Conversation id.')
  conversation_id!: string;

  @ApiProperty({ format: 'date-time', description: 'When the AI context was cleared.' })
  cleared_at!: string;

  @ApiProperty({
    type: 'integer',
    description: 'Messages that were part of the context and no longer are.',
    example: 12,
  })
  messages_cleared!: number;
}
