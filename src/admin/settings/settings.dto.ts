import { ApiProperty, ApiPropertyOptional, getSchemaPath, PartialType, type ApiPropertyOptions } from '@nestjs/swagger';

const integer = (minimum: number, maximum: number, description: string, example: number): ApiPropertyOptions => ({
  type: 'integer',
  minimum,
  maximum,
  description,
  example,
});
const price = (description: string): ApiPropertyOptions => ({
  type: 'number',
  minimum: 0,
  maximum: 1_000_000,
  description,
});

export class ModelPricesDto {
  @ApiPropertyOptional(price('Input tokens.'))
  input?: number;

  @ApiPropertyOptional(price('Output tokens.'))
  output?: number;

  @ApiPropertyOptional(price('Tokens read from the prompt cache.'))
  cache_read?: number;

  @ApiPropertyOptional(price('Tokens written to the prompt cache.'))
  cache_write?: number;
}

export class AiSettingsDto {
  @ApiProperty({ enum: ['anthropic'], description: 'Who makes the answers.' })
  provider!: 'anthropic';

  @ApiProperty({ minLength: 1, maxLength: 200, description: 'The model that is asked.', example: 'claude-sonnet-5-5' })
  model!: string;

  @ApiProperty({ minimum: 0, maximum: 1, description: 'How varied the answers are.', example: 1 })
  temperature!: number;

  @ApiProperty(integer(1, 64_000, 'Longest answer, in tokens.', 1_024))
  max_tokens!: number;

  @ApiProperty({
    minLength: 1,
    maxLength: 20_000,
    description: 'What the assistant is told before every conversation.',
    example: 'You answer for the bakery Ada & Sons. Be brief.',
  })
  system_prompt!: string;

  @ApiProperty(integer(1, 100, 'How many of the newest messages the assistant sees.', 20))
  context_messages!: number;

  @ApiProperty({ description: 'Whether the assistant answers inbound messages.', example: true })
  auto_reply!: boolean;

  @ApiProperty({
    type: [String],
    maxItems: 8,
    description: 'Models that are asked in turn when `model` fails.',
    example: ['claude-haiku-4-5'],
  })
  fallback_models!: string[];

  @ApiProperty({
    type: 'object',
    additionalProperties: { $ref: getSchemaPath(ModelPricesDto) },
    description:
      'US dollars per million tokens, by model, instead of the list prices. In a PATCH null removes a model.',
    example: { 'claude-sonnet-5-5': { input: 2, output: 10, cache_read: 0.1, cache_write: 2.5 } },
  })
  prices!: Record<string, ModelPricesDto>;
}

export class RateLimitSettingsDto {
  @ApiProperty(integer(1, 100_000, 'Messages that a key may send, and answers in one conversation, in any minute.', 60))
  messages_per_minute!: number;
}

export class ConversationSettingsDto {
  @ApiProperty(integer(1, 3_650, 'Days without a message after which a conversation is archived.', 30))
  archive_after_days!: number;
}

export class NotificationSettingsDto {
  @ApiProperty({
    type: String,
    format: 'email',
    nullable: true,
    description: 'Where the owner is told of failures.',
    example: 'owner@example.com',
  })
  owner_email!: string | null;
}

export class RetentionSettingsDto {
  @ApiProperty(integer(1, 3_650, 'Days that audit entries are kept.', 90))
  audit_days!: number;

  @ApiProperty(integer(1, 3_650, 'Days that events and webhook deliveries are kept.', 30))
  delivery_days!: number;
}

export class SettingsDto {
  @ApiProperty({ description: 'The assistant.' })
  ai!: AiSettingsDto;

  @ApiProperty({ description: 'Limits beside those of the keys.' })
  rate_limits!: RateLimitSettingsDto;

  @ApiProperty({ description: 'Conversations.' })
  conversations!: ConversationSettingsDto;

  @ApiProperty({ description: 'Messages to the owner.' })
  notifications!: NotificationSettingsDto;

  @ApiProperty({ description: 'How long things are kept.' })
  retention!: RetentionSettingsDto;
}

class AiChangesDto extends PartialType(AiSettingsDto) {}
class RateLimitChangesDto extends PartialType(RateLimitSettingsDto) {}
class ConversationChangesDto extends PartialType(ConversationSettingsDto) {}
class NotificationChangesDto extends PartialType(NotificationSettingsDto) {}
class RetentionChangesDto extends PartialType(RetentionSettingsDto) {}

/** Documents the body; `settings-rules` checks it. */
export class SettingsChangesDto {
  @ApiPropertyOptional({ type: AiChangesDto, description: 'The assistant.' })
  ai?: AiChangesDto;

  @ApiPropertyOptional({ type: RateLimitChangesDto, description: 'Limits beside those of the keys.' })
  rate_limits?: RateLimitChangesDto;

  @ApiPropertyOptional({ type: ConversationChangesDto, description: 'Conversations.' })
  conversations?: ConversationChangesDto;

  @ApiPropertyOptional({ type: NotificationChangesDto, description: 'Messages to the owner.' })
  notifications?: NotificationChangesDto;

  @ApiPropertyOptional({ type: RetentionChangesDto, description: 'How long things are kept.' })
  retention?: RetentionChangesDto;
}
