import type { EventData } from '#contracts';

export const SECRET = 'the signing secret of the bench';

/** Attempts under way at once: what the gateway allows one webhook. */
export const AT_ONCE = 128;

/** What every event of the bench tells of. */
export const SENT: EventData<'message.sent'> = {
  message_id: 'msg_01h455vb4pex5vsknk084sn02q',
  conversation_id: 'conv_01h455vb4pex5vsknk084sn02q',
  platform: 'telegram',
  environment: 'live',
  recipient: { id: '48213907', name: 'Ada Lovelace' },
  attachments: [],
  content: 'Your order 4711 has been shipped. It will arrive on Thursday between 9 and 12.',
  ai_model: null,
  tokens: null,
  latency_ms: 12,
};
