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
        label: 'Answers by itself',
        meaning: 'Inbound messages are answered by the AI.',
        byDefault: true,
      },
      {
        name: 'ai.answer_within_minutes',
        kind: 'number',
        min: 0,
        max: 1_440,
        label: 'Answers within',
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
        label: 'Budget of a day for each person',
        meaning: 'What answers to one person may cost in a UTC day. Until it is set, a twentieth of the daily budget.',
        byDefault: 2.5,
        unit: 'US dollars',
      },
      {
        name: 'ai.system_prompt',
        kind: 'longText',
        max: 20_000,
        label: 'System prompt',
        meaning: 'What the assistant is told before every conversation.',
        byDefault: 'a helpful assistant who is friendly and brief',
      },
      {
        name: 'ai.model',
        kind: 'text',
        max: 200,
        label: 'Model',
        meaning: 'The model that is asked.',
        byDefault: 'that of AI_MODEL',
      },
      {
        name: 'ai.fallback_models',
        kind: 'words',
        most: 8,
        label: 'Fallback models',
        meaning: 'Asked in turn when the model fails.',
        byDefault: 'none',
      },
      {
        name: 'ai.temperature',
        kind: 'number',
        min: 0,
        max: 1,
        decimal: true,
        label: 'Temperature',
        meaning: 'How varied the answers are, from 0 to 1.',
        byDefault: 1,
      },
      {
        name: 'ai.max_tokens',
        kind: 'number',
        min: 1,
        max: 64_000,
        unit: 'tokens',
        label: 'Longest answer',
        meaning: 'An answer ends after this many tokens.',
        byDefault: 1_024,
      },
      {
        name: 'ai.context_messages',
        kind: 'number',
        min: 1,
        max: 100,
        unit: 'messages',
        label: 'Memory',
        meaning: 'The newest messages that the assistant sees.',
        byDefault: 20,
      },
    ],
  },
  {
    title: 'Cost',
    description: 'What the AI may cost, and what its tokens cost.',
    fields: [
      {
        name: 'ai.budget.daily_usd',
        kind: 'number',
        min: 0,
        max: 1_000_000,
        decimal: true,
        nullable: true,
        unit: 'USD',
        label: 'Budget a day',
        meaning: 'No answer is made beyond it. Empty: none.',
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
        label: 'Budget a month',
        meaning: 'No answer is made beyond it. Empty: none.',
        byDefault: 0,
      },
      {
        name: 'ai.max_tokens_limit',
        kind: 'number',
        min: 1,
        max: 64_000,
        unit: 'tokens',
        label: 'Longest answer that a request may ask for',
        meaning: 'More in options.max_tokens is refused.',
        byDefault: 8_192,
      },
      {
        name: 'ai.prices',
        kind: 'prices',
        label: 'Prices',
        meaning:
          'US dollars per million tokens by model, as JSON, instead of the list prices: input, output, cache_read, cache_write.',
      },
    ],
  },
  {
    title: 'Limits',
    description: 'Beside those of the keys.',
    fields: [
      {
        name: 'rate_limits.messages_per_minute',
        kind: 'number',
        min: 1,
        max: 100_000,
        label: 'Messages a minute',
        meaning: 'Messages that a key may send, and answers in one conversation.',
        byDefault: 60,
      },
      {
        name: 'rate_limits.billable_messages_per_day',
        kind: 'number',
        min: 1,
        max: 10_000_000,
        nullable: true,
        label: 'Billable messages a day',
        meaning: 'Messages in a UTC day that WhatsApp bills. Empty: no limit.',
        byDefault: 1_000,
      },
      {
        name: 'platform_prices',
        kind: 'prices',
        label: 'Prices of WhatsApp',
        meaning:
          'US dollars per message, by phone number prefix (+49), as JSON: marketing, utility, authentication, service.',
      },
      {
        name: 'rate_limits.replies_per_minute',
        kind: 'number',
        min: 1,
        max: 1_000_000,
        label: 'Answers a minute',
        meaning: 'Answers in all conversations together; more wait for their turn.',
        byDefault: 600,
      },
      {
        name: 'webhooks.max_endpoints',
        kind: 'number',
        min: 1,
        max: 1_000,
        label: 'Webhooks',
        meaning: 'Webhooks that may be registered.',
        byDefault: 50,
      },
    ],
  },
  {
    title: 'Retention',
    description: 'How long things are kept, and who is told of failures.',
    fields: [
      {
        name: 'conversations.archive_after_days',
        kind: 'number',
        min: 1,
        max: 3_650,
        unit: 'days',
        label: 'Archive conversations after',
        meaning: 'Without a message for this long; a new one makes them active again.',
        byDefault: 30,
      },
      {
        name: 'retention.audit_days',
        kind: 'number',
        min: 1,
        max: 3_650,
        unit: 'days',
        label: 'Keep audit entries for',
        meaning: 'Then they are deleted.',
        byDefault: 90,
      },
      {
        name: 'retention.delivery_days',
        kind: 'number',
        min: 1,
        max: 3_650,
        unit: 'days',
        label: 'Keep deliveries for',
        meaning: 'Then they are deleted.',
        byDefault: 30,
      },
      {
        name: 'retention.event_days',
        kind: 'number',
        min: 1,
        max: 3_650,
        unit: 'days',
        label: 'Keep events for',
        meaning: 'Then they are deleted, and can no longer be replayed.',
        byDefault: 30,
      },
      {
        name: 'retention.message_days',
        kind: 'number',
        min: 1,
        max: 3_650,
        nullable: true,
        unit: 'days',
        label: 'Erase quiet conversations after',
        meaning: 'Days without a message after which a person’s data is removed for good. Empty: never.',
        byDefault: 0,
      },
      {
        name: 'notifications.owner_email',
        kind: 'text',
        max: 254,
        nullable: true,
        label: 'E-mail of the owner',
        meaning: 'Told when a webhook fails for good. Empty: no mail is sent.',
        byDefault: 'that of OWNER_EMAIL',
      },
    ],
  },
];
