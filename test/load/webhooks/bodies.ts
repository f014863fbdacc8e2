import type { EventData } from '#contracts';

export const SECRET = 'the signing secret of the bench';

/** Concurrent attempts: the gateway's limit per webhook. */
export const AT_ONCE = 128;

/** The data of every event in the bench. */
export const SENT: EventData<'message.sent'> = {
  message_id: 'msg_01h455vb4pex5vsknk084sn02q',
  conversation_id: 'conv_01h455vb4pex5vsknk084sn02q',
  platform: 'telegram',
  account: { id: 'acc_01h455vb4pex5vsknk084sn02q', name: 'default' },
  environment: 'live',
  recipient: { id: '48213907', name: 'Ada Lovelace' },
  attachments: [],
  content: 'Your order 4711 has been shipped. It will arrive on Thursday between 9 and 12.',
  ai_model: null,
  tokens: null,
  latency_ms: 12,
};
