import type { Type } from '@nestjs/common';
import { ApiProperty, PartialType } from '@nestjs/swagger';
import { AI_PROVIDERS, type AiProviderName } from '#contracts';
import { ListField, textItems } from '../validation/fields/list-fields.decorator';
import { NestedField } from '../validation/fields/nested-fields.decorator';
import { IntField, NumberField } from '../validation/fields/number-fields.decorator';
import { EmailField, TextField } from '../validation/fields/text-fields.decorator';
import { BooleanField, EnumField } from '../validation/fields/word-fields.decorator';
import { NeverEmpty } from '../openapi/never-empty.decorator';
import { isGroup } from './json-object';
import { HandoverSettingsDto } from './handover-settings.dto';
import { changesOfMap, MapField, mapOf } from './map-field.decorator';
import { PlatformPricesDto } from './platform-prices.dto';

const MAX_MODEL_LENGTH = 200;

const PriceField = (description: string, optional = false) =>
  NumberField({ min: 0, max: 1_000_000, optional, description });

export class ModelPricesDto {
  @PriceField('Price of input tokens.')
  input!: number;

  @PriceField('Price of output tokens.')
  output!: number;

  @PriceField('Price of tokens read from the prompt cache; that of input tokens if omitted.', true)
  cache_read?: number;

  @PriceField('Price of tokens written to the prompt cache; that of input tokens if omitted.', true)
  cache_write?: number;
}

const DollarsField = (time: string) =>
  NumberField({
    min: 0,
    max: 1_000_000,
    nullable: true,
    description: `US dollars per UTC ${time}; null for no limit.`,
  });

export class AiBudgetSettingsDto {
  @DollarsField('day')
  daily_usd: number | null = 50;

  @DollarsField('month')
  monthly_usd: number | null = null;
}

export class AiMediaSettingsDto {
  @IntField({
    min: 0,
    max: 100,
    description: 'Maximum number of images that the model gets for a reply, newest first.',
  })
  images: number = 10;

  @IntField({ min: 0, max: 100, description: 'Maximum number of PDFs that the model gets for a reply, newest first.' })
  documents: number = 2;
}

/** The most that answers to one person may cost in a day, in US dollars, unless the setting is set. */
export function dailyUsdPerPerson(dailyBudget: number | null): number {
  return Math.max(0.5, (dailyBudget ?? 0) / 20);
}

export class AiSettingsDto {
  /** Until it is changed: the provider that has a key, Anthropic if both have one. */
  @EnumField({
    words: AI_PROVIDERS,
    description:
      'AI provider of models whose names do not begin with a provider. Default: `anthropic`, or `openai` if only that has a key.',
  })
  provider: AiProviderName = 'anthropic';

  /** Until it is changed: the configuration's model, or the provider's default. */
  @TextField({
    max: MAX_MODEL_LENGTH,
    notBlank: true,
    description:
      'Model that writes the answers. A leading `anthropic/` or `openai/` names its provider; without one it is a model of `provider`.',
    example: 'claude-sonnet-5-5',
  })
  model!: string;

  @NumberField({ min: 0, max: 1, description: 'Randomness of the answers.' })
  temperature: number = 1;

  @IntField({ min: 1, max: 64_000, description: 'Maximum length of an answer, in tokens.' })
  max_tokens: number = 1_024;

  @IntField({
    min: 1,
    max: 64_000,
    description: 'Maximum value of `options.max_tokens`; a larger `max_tokens` is lowered to it.',
  })
  max_tokens_limit: number = 8_192;

  @NestedField(AiBudgetSettingsDto, { description: 'AI budget of the environment.' })
  budget: AiBudgetSettingsDto = new AiBudgetSettingsDto();

  /** Until it is set, it follows the daily budget: see `dailyUsdPerPerson`. */
  @NumberField({
    min: 0,
    max: 1_000_000,
    nullable: true,
    description:
      'Maximum cost in US dollars of the answers to one person per UTC day; null for no limit. Default: a twentieth of the daily budget, at least 0.50.',
  })
  daily_usd_per_person: number | null = dailyUsdPerPerson(50);

  @NumberField({
    min: 0,
    max: 1_000,
    description: 'Price of the transcription service (`TRANSCRIBE_URL`) per minute of audio, in US dollars.',
  })
  transcript_usd_per_minute: number = 0.006;

  @TextField({
    max: 20_000,
    description: 'Instructions that the assistant gets before every conversation.',
    example: 'You answer for the bakery Ada & Sons. Be brief.',
  })
  system_prompt: string =
    'You are a helpful assistant who answers people on a messaging platform. Be friendly and brief, and answer in the language of the person.';

  @IntField({ min: 1, max: 100, description: 'Number of recent messages that the assistant sees.' })
  context_messages: number = 20;

  @NestedField(AiMediaSettingsDto, { description: 'Message files that the model gets.' })
  media: AiMediaSettingsDto = new AiMediaSettingsDto();

  @BooleanField({ description: 'Whether the assistant answers inbound messages.' })
  auto_reply: boolean = true;

  @IntField({
    min: 0,
    max: 1_440,
    description: 'Time for which the gateway retries an answer while the provider is unavailable; 0 for no retries.',
  })
  answer_within_minutes: number = 10;

  @ListField({
    max: 64,
    items: textItems(64, { notBlank: true }),
    nullable: true,
    description: 'Names of the tools that the assistant may call; null for every enabled tool.',
    example: ['order_status'],
  })
  tools: string[] | null = null;

  @ListField({
    max: 8,
    items: textItems(MAX_MODEL_LENGTH, { notBlank: true }),
    description: 'Models that are tried in this order if `model` fails, also of another provider.',
    example: ['claude-haiku-4-5'],
  })
  fallback_models: string[] = [];

  @MapField({
    of: ModelPricesDto,
    max: 200,
    maxName: MAX_MODEL_LENGTH,
    description:
      'Prices by model in US dollars per million tokens, which override the list prices. Each needs `input` and `output`; for a model on your own machine, both are 0. A name without a provider is stored as a model of `provider`. In a PATCH, null removes a model.',
    example: { 'claude-sonnet-5-5': { input: 2, output: 10, cache_read: 0.1, cache_write: 2.5 } },
  })
  prices: Record<string, ModelPricesDto> = {};
}

export class RateLimitSettingsDto {
  @IntField({
    min: 1,
    max: 100_000,
    description: 'Maximum number of messages that a key may send, and of answers in one conversation, per minute.',
  })
  messages_per_minute: number = 60;

  @IntField({
    min: 1,
    max: 100_000,
    description: 'Maximum number of answers per minute in all conversations; further ones wait for their turn.',
  })
  replies_per_minute: number = 600;

  @IntField({
    min: 1,
    max: 10_000_000,
    nullable: true,
    description:
      'Maximum number of messages per UTC day that the platform bills (WhatsApp). Above it, sends get RATE_LIMIT_EXCEEDED, and replies become requests for a person. Null for no limit.',
  })
  billable_messages_per_day: number | null = null;
}

export class ConversationSettingsDto {
  @IntField({ min: 1, max: 3_650, description: 'Days without a message after which a conversation is archived.' })
  archive_after_days: number = 30;
}

export class NotificationSettingsDto {
  /** Until it is changed: the configuration's address. */
  @EmailField({
    nullable: true,
    description: 'E-mail address of the owner, who is notified of failures.',
    example: 'owner@example.com',
  })
  owner_email: string | null = null;
}

export class RetentionSettingsDto {
  @IntField({ min: 1, max: 3_650, description: 'Days for which audit entries are kept.' })
  audit_days: number = 90;

  @IntField({ min: 1, max: 3_650, description: 'Days for which webhook deliveries are kept.' })
  delivery_days: number = 30;

  @IntField({ min: 1, max: 3_650, description: 'Days for which events are kept and can be delivered again.' })
  event_days: number = 30;

  @IntField({
    min: 1,
    max: 3_650,
    nullable: true,
    description: 'Days without a message after which a conversation is erased; null for never.',
  })
  message_days: number | null = null;
}

const MEBIBYTE = 1_024 * 1_024;

export class MediaSettingsDto {
  @IntField({ min: 1, max: 2_000 * MEBIBYTE, description: 'Maximum size of a file, in bytes.' })
  max_bytes: number = 25 * MEBIBYTE;

  @IntField({
    min: 1,
    max: Number.MAX_SAFE_INTEGER,
    description: 'Maximum total size of all files of the environment, in bytes; identical files count once.',
  })
  quota_bytes: number = 10 * 1_024 * MEBIBYTE;

  @IntField({
    min: 1,
    max: 3_650,
    nullable: true,
    description:
      'Days for which files are kept; then their attachments are `expired`. Null to keep them as long as their messages.',
  })
  days: number | null = null;
}

/** The beginning of a phone number, including the calling code. */
const PHONE_PREFIX = '^\\+[1-9][0-9]{0,14}$';

/** Each event may go to every webhook of its environment, so their number is limited. */
export const MAX_ENDPOINTS = 1_000;

export class WebhookSettingsDto {
  @IntField({ min: 1, max: MAX_ENDPOINTS, description: 'Maximum number of webhooks.' })
  max_endpoints: number = 50;
}

/** The run-time settings of one environment. Initial values are the defaults. No secrets. */
export class SettingsDto {
  @NestedField(AiSettingsDto, { description: 'Settings of the assistant.' })
  ai: AiSettingsDto = new AiSettingsDto();

  @NestedField(HandoverSettingsDto, { description: 'When the gateway requests a person, and what happens then.' })
  handover: HandoverSettingsDto = new HandoverSettingsDto();

  @NestedField(RateLimitSettingsDto, { description: 'Limits in addition to those of the keys.' })
  rate_limits: RateLimitSettingsDto = new RateLimitSettingsDto();

  @MapField({
    of: PlatformPricesDto,
    max: 500,
    maxName: 16,
    namePattern: PHONE_PREFIX,
    description:
      'Price of a WhatsApp message by phone number prefix; the longest matching prefix applies. Without a price, `cost_usd` is null. In a PATCH, null removes an entry.',
    example: { '+49': { marketing: 0.1131, utility: 0.0456, authentication: 0.0456, service: 0.01 } },
  })
  platform_prices: Record<string, PlatformPricesDto> = {};

  @NestedField(ConversationSettingsDto, { description: 'Conversations.' })
  conversations: ConversationSettingsDto = new ConversationSettingsDto();

  @NestedField(NotificationSettingsDto, { description: 'Notifications of the owner.' })
  notifications: NotificationSettingsDto = new NotificationSettingsDto();

  @NestedField(RetentionSettingsDto, { description: 'Retention periods.' })
  retention: RetentionSettingsDto = new RetentionSettingsDto();

  @NestedField(MediaSettingsDto, { description: 'Storage of message files.' })
  media: MediaSettingsDto = new MediaSettingsDto();

  @NestedField(WebhookSettingsDto, { description: 'Webhooks.' })
  webhooks: WebhookSettingsDto = new WebhookSettingsDto();
}

/** The body of a change: some of the settings. Only the OpenAPI document uses the class; `settingsFaults` checks the body. */
@NeverEmpty()
export class SettingsChangesDto extends changesOf(SettingsDto) {}

/** `AiSettingsDto` → `AiChangesDto`, in which every field is optional. */
function changesOf(settings: Type<object>): Type<object> {
  class Changes extends PartialType(settings) {}
  Object.defineProperty(Changes, 'name', { value: settings.name.replace('Settings', 'Changes') });
  for (const [name, value] of Object.entries(new settings())) {
    if (isGroup(value)) ApiProperty({ type: changesOf(value.constructor as Type) })(Changes.prototype, name);
    const map = mapOf(settings.prototype as object, name);
    if (map) ApiProperty(changesOfMap(map))(Changes.prototype, name);
  }
  NeverEmpty()(Changes);
  return Changes;
}
