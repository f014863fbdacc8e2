const AI_PROVIDERS = ['anthropic', 'openai'] as const;

/** How to show a setting. `name` is its dotted path, as in the API's error details. */
export type SettingField = { name: string; label: string; meaning: string } & (
  | {
      kind: 'number';
      min: number;
      max: number;
      byDefault: number;
      decimal?: boolean;
      unit?: string;
      nullable?: boolean;
    }
  | { kind: 'text'; max: number; byDefault: string; nullable?: boolean }
  | { kind: 'choice'; of: readonly string[]; byDefault: string }
  | { kind: 'model'; max: number; byDefault: string }
  | { kind: 'longText'; max: number; byDefault: string }
  | { kind: 'switch'; byDefault: boolean }
  | { kind: 'words'; most: number; byDefault: string }
  | { kind: 'prices' }
);

/** The group whose changes can be tried before they are saved. */
export const ASSISTANT = 'Assistant';

/** Every setting, grouped by subject. */
export const SETTING_GROUPS: readonly { title: string; description: string; fields: readonly SettingField[] }[] = [
  {
    title: ASSISTANT,
    description: 'Who answers, and how.',
    fields: [
      {
        name: 'ai.auto_reply',
        kind: 'switch',
        label: 'Automatic replies',
        meaning: 'The AI answers inbound messages.',
        byDefault: true,
      },
      {
        name: 'ai.answer_within_minutes',
        kind: 'number',
        min: 0,
        max: 1_440,
        label: 'Answer within',
        meaning: 'How long the gateway retries while the provider is unavailable. 0: no retries.',
        byDefault: 10,
        unit: 'minutes',
      },
      {
        name: 'ai.daily_usd_per_person',
        kind: 'number',
        min: 0,
        max: 1_000_000,
        decimal: true,
        nullable: true,
        label: 'Daily budget per person',
        meaning: 'Maximum cost of the answers to one person per UTC day. Not set: a twentieth of the daily budget.',
        byDefault: 2.5,
        unit: 'US dollars',
      },
      {
        name: 'ai.transcript_usd_per_minute',
        kind: 'number',
        min: 0,
        max: 1_000,
        decimal: true,
        label: 'Price of transcripts',
        meaning: 'Price of the transcription service per minute of audio.',
        byDefault: 0.006,
        unit: 'US dollars',
      },
      {
        name: 'ai.system_prompt',
        kind: 'longText',
        max: 20_000,
        label: 'System prompt',
        meaning: 'Instructions that the assistant gets before every conversation.',
        byDefault: 'a helpful assistant who is friendly and brief',
      },
      {
        name: 'ai.provider',
        kind: 'choice',
        of: AI_PROVIDERS,
        label: 'Provider',
        meaning: 'Provider of models whose names do not begin with one.',
        byDefault: 'anthropic, or openai if only that has a key',
      },
      {
        name: 'ai.model',
        kind: 'model',
        max: 200,
        label: 'Model',
        meaning: 'Model that writes the answers. A leading openai/ or anthropic/ is its provider.',
        byDefault: 'AI_MODEL, or that of the provider',
      },
      {
        name: 'ai.fallback_models',
        kind: 'words',
        most: 8,
        label: 'Fallback models',
        meaning: 'Tried in this order when the model fails.',
        byDefault: 'none',
      },
      {
        name: 'ai.temperature',
        kind: 'number',
        min: 0,
        max: 1,
        decimal: true,
        label: 'Temperature',
        meaning: 'Randomness of the answers, from 0 to 1.',
        byDefault: 1,
      },
      {
        name: 'ai.max_tokens',
        kind: 'number',
        min: 1,
        max: 64_000,
        unit: 'tokens',
        label: 'Maximum answer length',
        meaning: 'Maximum number of tokens in an answer.',
        byDefault: 1_024,
      },
      {
        name: 'ai.context_messages',
        kind: 'number',
        min: 1,
        max: 100,
        unit: 'messages',
        label: 'Memory',
        meaning: 'Number of recent messages that the assistant sees.',
        byDefault: 20,
      },
    ],
  },
  {
    title: 'Cost',
    description: 'Budgets for the AI, and token prices.',
    fields: [
      {
        name: 'ai.budget.daily_usd',
        kind: 'number',
        min: 0,
        max: 1_000_000,
        decimal: true,
        nullable: true,
        unit: 'USD',
        label: 'Daily budget',
        meaning: 'The AI stops answering when the budget is spent. Empty: no limit.',
        byDefault: 50,
      },
      {
        name: 'ai.budget.monthly_usd',
        kind: 'number',
        min: 0,
        max: 1_000_000,
        decimal: true,
        nullable: true,
        unit: 'USD',
        label: 'Monthly budget',
        meaning: 'The AI stops answering when the budget is spent. Empty: no limit.',
        byDefault: 0,
      },
      {
        name: 'ai.max_tokens_limit',
        kind: 'number',
        min: 1,
        max: 64_000,
        unit: 'tokens',
        label: 'Maximum answer length per request',
        meaning: 'Upper limit of options.max_tokens in requests.',
        byDefault: 8_192,
      },
      {
        name: 'ai.prices',
        kind: 'prices',
        label: 'Prices',
        meaning:
          'Prices by model in US dollars per million tokens, as JSON, which override the list prices: input, output, cache_read, cache_write.',
      },
    ],
  },
  {
    title: 'Limits',
    description: 'In addition to the limits of each key.',
    fields: [
      {
        name: 'rate_limits.messages_per_minute',
        kind: 'number',
        min: 1,
        max: 100_000,
        label: 'Messages per minute',
        meaning: 'Maximum number of messages that a key may send, and of answers in one conversation.',
        byDefault: 60,
      },
      {
        name: 'rate_limits.billable_messages_per_day',
        kind: 'number',
        min: 1,
        max: 10_000_000,
        nullable: true,
        label: 'Billable messages per day',
        meaning: 'Maximum number of messages that WhatsApp bills per UTC day. Empty: no limit.',
        byDefault: 1_000,
      },
      {
        name: 'platform_prices',
        kind: 'prices',
        label: 'WhatsApp prices',
        meaning:
          'US dollars per message, by phone number prefix (+49), as JSON: marketing, utility, authentication, service.',
      },
      {
        name: 'rate_limits.replies_per_minute',
        kind: 'number',
        min: 1,
        max: 1_000_000,
        label: 'Answers per minute',
        meaning: 'Maximum number of answers in all conversations. Further answers wait for their turn.',
        byDefault: 600,
      },
      {
        name: 'webhooks.max_endpoints',
        kind: 'number',
        min: 1,
        max: 1_000,
        label: 'Webhooks',
        meaning: 'Maximum number of webhooks.',
        byDefault: 50,
      },
    ],
  },
  {
    title: 'Retention',
    description: 'How long data is kept, and who is notified of failures.',
    fields: [
      {
        name: 'conversations.archive_after_days',
        kind: 'number',
        min: 1,
        max: 3_650,
        unit: 'days',
        label: 'Archive conversations after',
        meaning: 'Conversations without a message for this long are archived. A new message makes them active again.',
        byDefault: 30,
      },
      {
        name: 'retention.audit_days',
        kind: 'number',
        min: 1,
        max: 3_650,
        unit: 'days',
        label: 'Keep audit entries for',
        meaning: 'Older audit entries are deleted.',
        byDefault: 90,
      },
      {
        name: 'retention.delivery_days',
        kind: 'number',
        min: 1,
        max: 3_650,
        unit: 'days',
        label: 'Keep deliveries for',
        meaning: 'Older deliveries are deleted.',
        byDefault: 30,
      },
      {
        name: 'retention.event_days',
        kind: 'number',
        min: 1,
        max: 3_650,
        unit: 'days',
        label: 'Keep events for',
        meaning: 'Older events are deleted and can no longer be replayed.',
        byDefault: 30,
      },
      {
        name: 'retention.message_days',
        kind: 'number',
        min: 1,
        max: 3_650,
        nullable: true,
        unit: 'days',
        label: 'Erase inactive conversations after',
        meaning: 'Conversations without a message for this long are erased permanently. Empty: never.',
        byDefault: 0,
      },
      {
        name: 'notifications.owner_email',
        kind: 'text',
        max: 254,
        nullable: true,
        label: 'E-mail address of the owner',
        meaning: 'Receives an e-mail when a webhook fails permanently. Empty: no e-mail is sent.',
        byDefault: 'OWNER_EMAIL',
      },
    ],
  },
];
