/** Examples of the bodies of each operation that takes one, by its id; the first is the plain case. A test sends them all. */
export const REQUEST_EXAMPLES: Readonly<Record<string, Record<string, { summary: string; value: object }>>> = {
  'messages.send': {
    text: {
      summary: 'A text',
      value: { platform: 'telegram', recipient: '48213907', message: 'Your order has been shipped.' },
    },
    markdown: {
      summary: 'Markdown, without a sound and without a preview of its link',
      value: {
        platform: 'discord',
        recipient: '1153278643296538685',
        message: '**Shipped**: [follow your order](https://example.com/orders/4711)',
        options: { parse_mode: 'markdown', disable_notification: true, link_preview: false },
      },
    },
    reply: {
      summary: 'An answer to a message',
      value: {
        platform: 'whatsapp',
        recipient: '15550109999',
        message: 'Of course, until Friday.',
        options: { reply_to: 'msg_01h455vb4pex5vsknk084sn02q' },
      },
    },
    sandboxFailure: {
      summary: 'With a test key: a message that fails',
      value: { platform: 'telegram', recipient: 'sandbox_fail', message: 'This will not arrive.' },
    },
  },
  'ai.generate': {
    question: { summary: 'A question', value: { message: 'When do you open tomorrow?' } },
    context: {
      summary: 'With what was said before, and another model',
      value: {
        message: 'And on Sunday?',
        context: [
          { role: 'user', content: 'When do you open tomorrow?' },
          { role: 'assistant', content: 'At nine.' },
        ],
        options: { model: 'claude-haiku-4-5', max_tokens: 200, temperature: 1 },
      },
    },
  },
  'conversations.change': {
    pause: { summary: 'A person takes over', value: { ai_paused: true } },
    archive: { summary: 'Archive it', value: { status: 'archived' } },
  },
  'sandbox.play': {
    text: {
      summary: 'Somebody says hello',
      value: {
        platform: 'telegram',
        sender: { id: '48213907', name: 'Ada Lovelace', username: 'ada' },
        content: 'Hello!',
      },
    },
  },
  'apiKeys.create': {
    shop: {
      summary: 'A key that reads and sends messages',
      value: { name: 'Shop back end', scopes: ['read:messages', 'write:messages'] },
    },
    bound: {
      summary: 'Bound to addresses, limits and a time',
      value: {
        name: 'Nightly report',
        scopes: ['read:status', 'read:messages'],
        tier: 'pro',
        expires_at: '2099-12-31T23:59:59Z',
        allowed_ips: ['203.0.113.0/24', '2001:db8::7'],
        rate_limit: { requests_per_minute: 30, requests_per_hour: 600 },
      },
    },
  },
  'apiKeys.update': {
    addresses: { summary: 'Only from these addresses', value: { allowed_ips: ['203.0.113.0/24'] } },
    limits: { summary: 'Other limits', value: { rate_limit: { requests_per_minute: 120 } } },
    tierLimits: { summary: "Back to the tier's limits", value: { rate_limit: null } },
  },
  'settings.change': {
    assistant: {
      summary: 'What the assistant is told, and what answers when its model does not',
      value: {
        ai: {
          system_prompt: 'You answer for the bakery Ada & Sons. Be brief.',
          fallback_models: ['claude-haiku-4-5'],
          prices: { 'claude-haiku-4-5': { input: 1, output: 5, cache_read: 0.1, cache_write: 1.25 } },
        },
      },
    },
    limits: {
      summary: 'Limits and retention',
      value: { rate_limits: { messages_per_minute: 120 }, retention: { audit_days: 30, delivery_days: 14 } },
    },
  },
  'webhooks.create': {
    some: {
      summary: 'Some events; the secret is made and returned',
      value: { url: 'https://example.com/hooks/gateway', events: ['message.received', 'message.failed'] },
    },
    all: {
      summary: 'All events, with a secret of your own',
      value: { url: 'https://example.com/hooks/all', events: ['*'], secret: 'correct horse battery staple' },
    },
  },
  'webhooks.update': {
    enable: { summary: 'Make it active again', value: { enabled: true } },
    events: { summary: 'Other events', value: { events: ['message.received'] } },
    secret: { summary: 'A new secret', value: { secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' } },
  },
  'deliveries.replay': {
    since: { summary: 'What was missed this year', value: { since: '2026-01-01T00:00:00Z' } },
  },
};
