import { ApiProperty, ApiPropertyOptional, IntersectionType } from '@nestjs/swagger';
import {
  CONFIRMATIONS,
  DIRECTIONS,
  MESSAGE_SENDERS,
  MESSAGE_STATUSES,
  PLATFORMS,
  SEND_FAILURES,
  type Confirmation,
  type Direction,
  type MessageSender,
  type MessageStatus,
  type Platform,
  type SendFailure,
  type SendFailureCode,
} from '#contracts';
import { MessageDetailsDto } from '../../conversations/dto/message-details.dto';
import { AttachmentDto } from '../../media/dto/attachment.dto';
import { ApiId } from '../../core/openapi/api-id.decorator';
import { Example } from '../../core/openapi/example.decorator';

import { InteractiveDto, InteractiveReplyDto } from './interactive.dto';

export class SendFailureDto implements SendFailure {
  @ApiProperty({ enum: Object.keys(SEND_FAILURES), description: 'Why it failed, in one vocabulary for all platforms.' })
  code!: SendFailureCode;

  @ApiProperty({ description: 'The same in a sentence.', example: 'The recipient has blocked the account.' })
  message!: string;

  @ApiProperty({ type: String, nullable: true, description: "The platform's own code.", example: '403' })
  platform_code!: string | null;

  @ApiProperty({ description: 'Whether sending it again may work.' })
  retryable!: boolean;

  @ApiPropertyOptional({
    type: [String],
    description:
      "Only with `window_closed`: names of up to three approved templates in the participant's language, which can be sent instead.",
    example: ['order_update'],
  })
  templates?: string[];
}

@Example({ platform: 'telegram', status: 'sent', sent_at: '2026-01-31T12:00:00.000Z' })
export class SendResultDto {
  @ApiId('message', 'Id of the message.')
  message_id!: string;

  @ApiProperty({ enum: PLATFORMS, description: 'The platform.' })
  platform!: Platform;

  @ApiProperty({ description: "The recipient's id at the platform.", example: '48213907' })
  recipient!: string;

  @ApiProperty({
    enum: ['sent', 'pending', 'scheduled', 'failed'],
    description:
      '`sent`: the platform accepted it. `pending`: it is sent as soon as the platform allows. `scheduled`: it is sent at `send_at`. `failed`: see `error`.',
  })
  status!: 'sent' | 'pending' | 'scheduled' | 'failed';

  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: 'When the platform accepted it.' })
  sent_at!: string | null;

  @ApiPropertyOptional({ format: 'date-time', description: 'Only with `scheduled`: when it will be sent.' })
  send_at?: string;

  @ApiPropertyOptional({ description: 'Only with `failed`.' })
  error?: SendFailureDto;
}

@Example({ platform: 'telegram', direction: 'inbound', created_at: '2026-01-31T11:58:20.812Z' })
export class MessageListItemDto {
  @ApiId('message', 'Message id.')
  id!: string;

  @ApiId('conversation', 'Id of its conversation.')
  conversation_id!: string;

  @ApiProperty({ enum: PLATFORMS, description: 'The platform.' })
  platform!: Platform;

  @ApiProperty({ enum: DIRECTIONS, description: 'Whether it came in or went out.' })
  direction!: Direction;

  @ApiProperty({ description: 'The text.', example: 'Hello!' })
  content!: string;

  @ApiProperty({
    format: 'date-time',
    description:
      'When it took its place in the conversation; for a scheduled or cancelled message, when it was asked for.',
  })
  created_at!: string;
}

export class TokensDto {
  @ApiProperty({
    type: 'integer',
    description: 'Tokens that the model read, those of its cache included.',
    example: 212,
  })
  input!: number;

  @ApiProperty({ type: 'integer', description: 'Tokens that the model wrote.', example: 58 })
  output!: number;
}

export class BillingDto {
  @ApiProperty({ description: 'Whether the platform bills it.' })
  billable!: boolean;

  @ApiProperty({
    description: 'The category: `marketing`, `utility`, `authentication` or `service`.',
    example: 'service',
  })
  category!: string;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The pricing model, as the platform names it.',
    example: 'PMP',
  })
  model!: string | null;

  @ApiProperty({
    type: Number,
    nullable: true,
    description: 'US dollars of all parts, by `platform_prices`; null without a price there.',
    example: 0.0113,
  })
  cost_usd!: number | null;

  @ApiProperty({ description: 'Whether it may still change, because a part is neither delivered nor failed yet.' })
  estimated!: boolean;
}

export class CancelledMessageDto {
  @ApiId('message', 'Message id.')
  id!: string;

  @ApiProperty({ enum: ['cancelled'], description: 'It is never sent.' })
  status!: 'cancelled';
}

@Example({
  platform: 'telegram',
  direction: 'outbound',
  content: 'We open at nine.',
  created_at: '2026-01-31T11:58:20.812Z',
  status: 'sent',
  sent_by: 'assistant',
  ai_model: 'claude-sonnet-5-5',
  confirmation: 'platform',
  interactive: null,
  interactive_reply: null,
  sender: null,
  data: null,
  reply_to: null,
  edited_at: null,
  deleted_at: null,
  error: null,
  attachments: [],
  billing: null,
})
export class MessageDto extends IntersectionType(MessageListItemDto, MessageDetailsDto) {
  @ApiProperty({ enum: MESSAGE_STATUSES, description: 'Its status.' })
  status!: MessageStatus;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'When it is to be sent, if it was scheduled; null for others.',
  })
  send_at!: string | null;

  @ApiProperty({
    enum: MESSAGE_SENDERS,
    nullable: true,
    description:
      'Who wrote it: the assistant, a client of this API, or a colleague on the phone (WhatsApp coexistence); null for inbound messages.',
  })
  sent_by!: MessageSender | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: 'When its delivery was confirmed.' })
  delivered_at!: string | null;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'When the recipient read it, if the platform reports that.',
  })
  read_at!: string | null;

  @ApiProperty({ enum: CONFIRMATIONS, nullable: true, description: 'Who confirmed the delivery.' })
  confirmation!: Confirmation | null;

  @ApiProperty({ type: String, nullable: true, description: 'The model that wrote it; null for others.' })
  ai_model!: string | null;

  @ApiProperty({ type: TokensDto, nullable: true, description: 'What the model used; null for others.' })
  tokens!: TokensDto | null;

  @ApiProperty({ type: InteractiveDto, nullable: true, description: 'The options below it; null for others.' })
  interactive!: InteractiveDto | null;

  @ApiProperty({
    type: InteractiveReplyDto,
    nullable: true,
    description: 'The option that the person chose with it; null for others.',
  })
  interactive_reply!: InteractiveReplyDto | null;

  @ApiProperty({ type: SendFailureDto, nullable: true, description: 'Why it failed; null if it did not.' })
  error!: SendFailureDto | null;

  @ApiProperty({ type: [AttachmentDto], description: 'Its files, places and contacts, in order.' })
  attachments!: AttachmentDto[];

  @ApiProperty({
    type: BillingDto,
    nullable: true,
    description: 'What the platform charges for it, once it reports that (WhatsApp); null for others.',
  })
  billing!: BillingDto | null;

  @ApiPropertyOptional({
    type: 'integer',
    nullable: true,
    description:
      'With `expand=usage`: milliseconds that the model took or, if no model wrote the message, the call to the platform; null for inbound messages.',
    example: 1_840,
  })
  latency_ms?: number | null;

  @ApiPropertyOptional({
    type: Number,
    nullable: true,
    description: 'With `expand=usage`: what the answer cost, in US dollars; null if no model wrote the message.',
    example: 0.0031,
  })
  cost_usd?: number | null;
}
