import { EVENT_TYPES, SCOPES } from '#contracts';

/** The longest valid body of an operation. */
interface LongestBody {
  method: string;
  path: string;
  /** Longest body that the operation takes, and how a refusal names it. */
  bytes: number;
  shown: string;
  body: object;
}

const KIBIBYTE = 1_024;

/** A character that takes twelve bytes where it is escaped: no other takes as many. */
const foxes = (count: number) => '🦊'.repeat(count);
const PRICE = 999_999.123_456_789;
const FRACTION = 0.123_456_789_012_345_6;

/** By operation, of those that take much. */
export const LONGEST_BODIES: Readonly<Record<string, LongestBody>> = {
  'messages.send': {
    method: 'POST',
    path: '/messages/send',
    bytes: 200 * KIBIBYTE,
    shown: '200 KiB',
    body: {
      platform: 'the service',
      recipient: foxes(256),
      message: foxes(16_384),
      options: { parse_mode: 'markdown', disable_notification: false, link_preview: false },
    },
  },
  'sandbox.play': {
    method: 'POST',
    path: '/sandbox/inbound',
    bytes: 204 * KIBIBYTE,
    shown: '204 KiB',
    body: {
      platform: 'the service',
      sender: { id: foxes(256), name: foxes(256), username: foxes(256) },
      content: foxes(16_384),
    },
  },
  'ai.generate': {
    method: 'POST',
    path: '/ai/generate',
    bytes: 2_560 * KIBIBYTE,
    shown: '2.5 MiB',
    body: {
      message: foxes(16_384),
      context: Array.from({ length: 100 }, () => ({ role: 'assistant', content: foxes(2_000) })),
      options: { model: foxes(200), max_tokens: 8_192, temperature: FRACTION },
    },
  },
  'settings.update': {
    method: 'PATCH',
    path: '/admin/settings',
    bytes: 800 * KIBIBYTE,
    shown: '800 KiB',
    body: {
      ai: {
        provider: 'anthropic',
        model: foxes(200),
        temperature: FRACTION,
        max_tokens: 64_000,
        system_prompt: foxes(20_000),
        context_messages: 100,
        auto_reply: false,
        answer_within_minutes: 1_440,
        fallback_models: Array.from({ length: 8 }, () => foxes(200)),
        prices: Object.fromEntries(
          Array.from({ length: 200 }, (_, index) => [
            `${foxes(197)}${String(index).padStart(3, '0')}`,
            { input: PRICE, output: PRICE, cache_read: PRICE, cache_write: PRICE },
          ]),
        ),
      },
      rate_limits: { messages_per_minute: 100_000 },
      conversations: { archive_after_days: 3_650 },
      notifications: { owner_email: `${foxes(200)}@${foxes(53)}` },
      retention: { audit_days: 3_650, delivery_days: 3_650, event_days: 3_650, message_days: 3_650 },
    },
  },
  'apiKeys.create': {
    method: 'POST',
    path: '/admin/api-keys',
    bytes: 152 * KIBIBYTE,
    shown: '152 KiB',
    body: {
      name: foxes(100),
      scopes: SCOPES,
      environment: 'test',
      tier: 'elite',
      expires_at: '2099-12-31T23:59:59.123456789+00:00',
      allowed_ips: Array.from({ length: 100 }, (_, index) => `2001:0db8:0000:0000:0000:0000:0000:${1_000 + index}/128`),
      rate_limit: { requests_per_minute: 1_000_000, requests_per_hour: 1_000_000 },
      ai_budget: { daily_usd: PRICE, monthly_usd: PRICE },
      ai_models: Array.from({ length: 50 }, () => foxes(200)),
    },
  },
  'webhooks.create': {
    method: 'POST',
    path: '/webhooks',
    bytes: 64 * KIBIBYTE,
    shown: '64 KiB',
    body: { url: `https://example.com/${'x'.repeat(2_028)}`, events: EVENT_TYPES, secret: foxes(256) },
  },
};

/** As JSON, every character of its texts and names escaped. */
export function escaped(value: unknown): string {
  if (typeof value === 'string') {
    const units = Array.from({ length: value.length }, (_, at) => value.charCodeAt(at).toString(16).padStart(4, '0'));
    return `"${units.map((unit) => `\\u${unit}`).join('')}"`;
  }
  if (Array.isArray(value)) return `[${value.map(escaped).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).map(([name, inner]) => `${escaped(name)}:${escaped(inner)}`);
  return `{${fields.join(',')}}`;
}
