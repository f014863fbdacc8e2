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
import { ShownAccountDto } from '../../accounts/dto/shown-account.dto';
import { AttachmentDto } from '../../media/dto/attachment.dto';
import { ApiId } from '../../core/openapi/api-id.decorator';
import { Example } from '../../core/openapi/example.decorator';

import { InteractiveDto, InteractiveReplyDto } from './interactive.dto';

export class SendFailureDto implements SendFailure {
  @ApiProperty({ enum: Object.keys(SEND_FAILURES), description: 'Code of the failure, the same for all platforms.' })
  code!: SendFailureCode;

  @ApiProperty({ description: 'Explanation of the failure.', example: 'The recipient has blocked the account.' })
  message!: string;

  @ApiProperty({ type: String, nullable: true, description: 'Error code of the platform.', example: '403' })
  platform_code!: string | null;

  @ApiProperty({ description: 'Whether sending the message again may succeed.' })
  retryable!: boolean;

  @ApiPropertyOptional({
    type: [String],
    description:
      "Names of up to three approved templates in the participant's language that can be sent instead; only with `window_closed`.",
    example: ['order_update'],
  })
  templates?: string[];
}

@Example({ platform: 'telegram', status: 'sent', sent_at: '2026-01-31T12:00:00.000Z' })
export class SendResultDto {
  @ApiId('message', 'Id of the message.')
  message_id!: string;

  @ApiProperty({ enum: PLATFORMS, description: 'Name of the platform.' })
  platform!: Platform;

  @ApiProperty({ description: 'Id of the recipient on the platform.', example: '48213907' })
  recipient!: string;

  @ApiProperty({
    enum: ['sent', 'pending', 'scheduled', 'failed'],
    description:
      'Status of the message. `sent`: the platform accepted it. `pending`: it is sent as soon as the platform allows. `scheduled`: it is sent at `send_at`. `failed`: see `error`.',
  })
  status!: 'sent' | 'pending' | 'scheduled' | 'failed';

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'When the platform accepted the message.',
  })
  sent_at!: string | null;

  @ApiPropertyOptional({ format: 'date-time', description: 'When the message will be sent; only with `scheduled`.' })
  send_at?: string;

  @ApiPropertyOptional({ description: 'Why the message failed; only with `failed`.' })
  error?: SendFailureDto;
}

@Example({ platform: 'telegram', direction: 'inbound', created_at: '2026-01-31T11:58:20.812Z' })
export class MessageListItemDto {
  @ApiId('message', 'Id of the message.')
  id!: string;

  @ApiId('conversation', 'Id of the conversation.')
  conversation_id!: string;

  @ApiProperty({ enum: PLATFORMS, description: 'Name of the platform.' })
  platform!: Platform;

  @ApiProperty({ description: 'Account of the platform that has the conversation.' })
  account!: ShownAccountDto;

  @ApiProperty({ enum: DIRECTIONS, description: 'Direction of the message.' })
  direction!: Direction;

  @ApiProperty({ description: 'Text of the message.', example: 'Hello!' })
  content!: string;

  @ApiProperty({
    format: 'date-time',
    description:
      'When the message took its place in the conversation; for a scheduled or cancelled message, when it was requested.',
  })
  created_at!: string;
}

export class TokensDto {
  @ApiProperty({
    type: 'integer',
    description: 'Input tokens, including those of the cache.',
    example: 212,
  })
  input!: number;

  @ApiProperty({ type: 'integer', description: 'Output tokens.', example: 58 })
  output!: number;
}

export class BillingDto {
  @ApiProperty({ description: 'Whether the platform bills the message.' })
  billable!: boolean;

  @ApiProperty({
    description: 'Category: `marketing`, `utility`, `authentication` or `service`.',
    example: 'service',
  })
  category!: string;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Pricing model, as the platform names it.',
    example: 'PMP',
  })
  model!: string | null;

  @ApiProperty({
    type: Number,
    nullable: true,
    description: 'Cost of all parts in US dollars by `platform_prices`; null if there is no price.',
    example: 0.0113,
  })
  cost_usd!: number | null;

  @ApiProperty({ description: 'Whether the cost may still change because a part is neither delivered nor failed.' })
  estimated!: boolean;
}

export class CancelledMessageDto {
  @ApiId('message', 'Id of the message.')
  id!: string;

  @ApiProperty({ enum: ['cancelled'], description: 'The message is never sent.' })
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
    description: 'Time for which the message was scheduled; null if it was not.',
  })
  send_at!: string | null;

  @ApiProperty({
    enum: MESSAGE_SENDERS,
    nullable: true,
    description:
      'Author: the assistant, a client of this API, or a colleague on the phone (WhatsApp coexistence); null for inbound messages.',
  })
  sent_by!: MessageSender | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: 'When delivery was confirmed.' })
  delivered_at!: string | null;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'When the recipient read the message, if the platform reports it.',
  })
  read_at!: string | null;

  @ApiProperty({ enum: CONFIRMATIONS, nullable: true, description: 'Source of the delivery confirmation.' })
  confirmation!: Confirmation | null;

  @ApiProperty({ type: String, nullable: true, description: 'Model that wrote the message; null if none did.' })
  ai_model!: string | null;

  @ApiProperty({
    type: TokensDto,
    nullable: true,
    description: 'Tokens used by the model; null if no model wrote the message.',
  })
  tokens!: TokensDto | null;

  @ApiProperty({ type: InteractiveDto, nullable: true, description: 'Options of the message; null if it has none.' })
  interactive!: InteractiveDto | null;

  @ApiProperty({
    type: InteractiveReplyDto,
    nullable: true,
    description: 'Option that the person chose with this message; null if none.',
  })
  interactive_reply!: InteractiveReplyDto | null;

  @ApiProperty({ type: SendFailureDto, nullable: true, description: 'Why the message failed; null if it did not.' })
  error!: SendFailureDto | null;

  @ApiProperty({ type: [AttachmentDto], description: 'Files, places and contacts of the message, in order.' })
  attachments!: AttachmentDto[];

  @ApiProperty({
    type: BillingDto,
    nullable: true,
    description: 'Charge of the platform, once it reports it (WhatsApp); null for other platforms.',
  })
  billing!: BillingDto | null;

  @ApiPropertyOptional({
    type: 'integer',
    nullable: true,
    description:
      'Duration of the AI call in milliseconds or, if no model wrote the message, of the platform call; null for inbound messages. Only with `expand=usage`.',
    example: 1_840,
  })
  latency_ms?: number | null;

  @ApiPropertyOptional({
    type: Number,
    nullable: true,
    description: 'Cost of the answer in US dollars; null if no model wrote the message. Only with `expand=usage`.',
    example: 0.0031,
  })
  cost_usd?: number | null;
}
