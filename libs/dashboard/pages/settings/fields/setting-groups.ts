import { ASSISTANT_GROUPS } from './assistant-groups';
import type { SettingGroup } from './setting-field';

const MEBIBYTE = 1_024 * 1_024;

const BUDGET = { kind: 'number', min: 0, max: 1_000_000, decimal: true, nullable: true, unit: 'USD' } as const;
const DAYS = { kind: 'number', min: 1, max: 3_650, unit: 'days' } as const;

const TOKEN_PRICES = [
  { name: 'input', label: 'Input' },
  { name: 'output', label: 'Output' },
  { name: 'cache_read', label: 'Cache read' },
  { name: 'cache_write', label: 'Cache write' },
];
const WHATSAPP_PRICES = [
  { name: 'marketing', label: 'Marketing' },
  { name: 'utility', label: 'Utility' },
  { name: 'authentication', label: 'Authentication' },
  { name: 'service', label: 'Service' },
];

/** The group whose changes can be tried before they are saved. */
export const [ASSISTANT] = ASSISTANT_GROUPS;

/** Every setting, grouped by task. */
export const SETTING_GROUPS: readonly SettingGroup[] = [
  ...ASSISTANT_GROUPS,
  {
    title: 'Costs',
    description: 'Budgets for the AI and WhatsApp, and their prices.',
    fields: [
      {
        name: 'ai.budget.daily_usd',
        ...BUDGET,
        label: 'AI budget of a day',
        meaning: 'The assistant stops when it is spent. Empty: no limit.',
        byDefault: 50,
      },
      {
        name: 'ai.budget.monthly_usd',
        ...BUDGET,
        label: 'AI budget of a month',
        meaning: 'The assistant stops when it is spent. Empty: no limit.',
        byDefault: null,
      },
      {
        name: 'ai.daily_usd_per_person',
        ...BUDGET,
        label: 'AI budget of one person in a day',
        meaning: 'A twentieth of the budget of a day until you set it. Empty: no limit.',
        byDefault: 2.5,
      },
      {
        name: 'rate_limits.billable_messages_per_day',
        kind: 'number',
        min: 1,
        max: 10_000_000,
        nullable: true,
        unit: 'messages',
        label: 'Billed WhatsApp messages in a day',
        meaning: 'No more are sent in a day. Empty: no limit.',
        byDefault: null,
      },
      {
        name: 'ai.max_tokens_limit',
        kind: 'number',
        min: 1,
        max: 64_000,
        unit: 'tokens',
        label: 'Longest answer that a program may ask for',
        meaning: 'Limits options.max_tokens of requests.',
        byDefault: 8_192,
      },
      {
        name: 'ai.transcript_usd_per_minute',
        kind: 'number',
        min: 0,
        max: 1_000,
        decimal: true,
        unit: 'USD',
        label: 'Price of a minute of speech',
        meaning: 'As your transcription service bills it.',
        byDefault: 0.006,
      },
      {
        name: 'ai.prices',
        kind: 'prices',
        of: 'Model',
        columns: TOKEN_PRICES,
        label: 'Prices of models',
        meaning: 'US dollars for a million tokens. They replace the list prices; 0 for a model on your own machine.',
      },
      {
        name: 'platform_prices',
        kind: 'prices',
        of: 'Number begins with',
        columns: WHATSAPP_PRICES,
        label: 'Prices of WhatsApp messages',
        meaning: 'US dollars for a message, by the beginning of the phone number, such as +49.',
      },
    ],
  },
  {
    title: 'Limits',
    description: 'How much is sent in a minute.',
    fields: [
      {
        name: 'rate_limits.messages_per_minute',
        kind: 'number',
        min: 1,
        max: 100_000,
        label: 'Messages per minute',
        meaning: 'For one key, and for the answers in one conversation.',
        byDefault: 60,
      },
      {
        name: 'rate_limits.replies_per_minute',
        kind: 'number',
        min: 1,
        max: 100_000,
        label: 'Answers per minute',
        meaning: 'In all conversations together. More answers wait for their turn.',
        byDefault: 600,
      },
      {
        name: 'webhooks.max_endpoints',
        kind: 'number',
        min: 1,
        max: 1_000,
        label: 'Webhooks',
        meaning: 'How many there may be.',
        byDefault: 50,
      },
    ],
  },
  {
    title: 'Files',
    description: 'Pictures, voice messages and documents of messages.',
    fields: [
      {
        name: 'media.max_bytes',
        kind: 'number',
        min: 1,
        max: 2_000 * MEBIBYTE,
        scale: MEBIBYTE,
        decimal: true,
        unit: 'MiB',
        label: 'Largest file',
        meaning: 'Larger files are not stored.',
        byDefault: 25 * MEBIBYTE,
      },
      {
        name: 'media.quota_bytes',
        kind: 'number',
        min: 1,
        max: Number.MAX_SAFE_INTEGER,
        scale: 1_024 * MEBIBYTE,
        decimal: true,
        unit: 'GiB',
        label: 'Space for all files',
        meaning: 'When it is used up, no more files are stored.',
        byDefault: 10 * 1_024 * MEBIBYTE,
      },
      {
        name: 'media.days',
        ...DAYS,
        nullable: true,
        label: 'Keep files for',
        meaning: 'Empty: as long as their messages.',
        byDefault: null,
      },
    ],
  },
  {
    title: 'Keeping and deleting',
    description: 'When the gateway archives, deletes and erases.',
    fields: [
      {
        name: 'conversations.archive_after_days',
        ...DAYS,
        label: 'Archive a conversation after',
        meaning: 'Without a message. A new message makes it active again.',
        byDefault: 30,
      },
      {
        name: 'retention.message_days',
        ...DAYS,
        nullable: true,
        label: 'Erase a conversation after',
        meaning: 'Without a message, and for good. Empty: never.',
        byDefault: null,
      },
      {
        name: 'retention.event_days',
        ...DAYS,
        label: 'Keep events for',
        meaning: 'Older ones cannot be sent to webhooks again.',
        byDefault: 30,
      },
      {
        name: 'retention.delivery_days',
        ...DAYS,
        label: 'Keep deliveries for',
        meaning: 'The attempts to reach webhooks.',
        byDefault: 30,
      },
      {
        name: 'retention.audit_days',
        ...DAYS,
        label: 'Keep the audit log for',
        meaning: 'Older entries are deleted.',
        byDefault: 90,
      },
    ],
  },
  {
    title: 'Notifications',
    description: 'Who gets a mail when something fails.',
    fields: [
      {
        name: 'notifications.owner_email',
        kind: 'text',
        max: 254,
        nullable: true,
        label: 'E-mail address of the owner',
        meaning: 'Empty: no mails are sent.',
        byDefault: 'OWNER_EMAIL',
      },
    ],
  },
];
