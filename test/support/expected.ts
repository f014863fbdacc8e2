import { ERRORS, ID_PREFIXES, type ErrorCode, type ErrorDetails, type Resource } from '#contracts';

/*
 * Expected answers for `toEqual`: every field, and no other. Jest types its asymmetric matchers as `any`; each is cast to
 * the type of the value that it matches.
 */

/** A public id of a resource. */
export function anId(resource: Resource): string {
  return expect.stringMatching(new RegExp(`^${ID_PREFIXES[resource]}_[0-7][0-9a-hjkmnp-tv-z]{25}$`)) as string;
}

/** An ISO 8601 timestamp in UTC. */
export function aTimestamp(): string {
  return expect.stringMatching(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/) as string;
}

export const expectedMeta = () => ({ request_id: anId('request'), timestamp: aTimestamp() });

/** The envelope of an object, or of a list without pages. */
export const expectedSuccess = (data: unknown) => ({ success: true, data, meta: expectedMeta() });

/** The envelope of one page of a list. */
export const expectedPage = (
  data: unknown,
  { page = 1, per_page = 20, total }: { page?: number; per_page?: number; total: number },
) => ({
  success: true,
  data,
  meta: { ...expectedMeta(), pagination: { page, per_page, total, total_pages: Math.ceil(total / per_page) } },
});

/** An error answer: its status, and its body, without `meta` for 401 and 403. */
export function expectedError<C extends ErrorCode>(code: C, details: ErrorDetails[C], message?: string) {
  const { status } = ERRORS[code];
  const error = { code, message: message ?? (expect.stringMatching(/\S/) as string), details };
  const body = { success: false, error, ...(status !== 401 && status !== 403 && { meta: expectedMeta() }) };
  return { status, body };
}

/** The account of the environment. */
export const expectedAccount = () => ({ id: anId('account'), name: 'default' });

/** An item of `GET /messages`. */
export const expectedMessageItem = (fields: {
  direction: 'inbound' | 'outbound';
  content: string;
  conversation_id?: string;
  platform?: string;
}) => ({
  id: anId('message'),
  conversation_id: anId('conversation'),
  platform: 'telegram',
  account: expectedAccount(),
  created_at: aTimestamp(),
  ...fields,
});

/** The details of a message without any. */
export const NO_DETAILS = { sender: null, data: null, reply_to: null, edited_at: null, deleted_at: null };

interface Author {
  id: string;
  name: string | null;
  username: string | null;
}

/** `GET /messages/{id}` of an inbound message. */
export const expectedInbound = (content: string, sender = expect.any(Object) as Author) => ({
  ...expectedMessageItem({ direction: 'inbound', content }),
  status: 'received',
  send_at: null,
  sent_by: null,
  delivered_at: null,
  read_at: null,
  confirmation: null,
  ai_model: null,
  tokens: null,
  interactive: null,
  interactive_reply: null,
  ...NO_DETAILS,
  sender,
  error: null,
  attachments: [],
  billing: null,
});

/** `GET /messages/{id}` of a delivered message: without receipts, the platform's acceptance counts as delivery. */
export const expectedDelivered = (content: string, ai: { model: string; tokens: unknown } | null = null) => ({
  ...expectedMessageItem({ direction: 'outbound', content }),
  status: 'delivered',
  send_at: null,
  sent_by: ai ? 'assistant' : 'api',
  delivered_at: aTimestamp(),
  read_at: null,
  confirmation: 'platform',
  ai_model: ai?.model ?? null,
  tokens: ai?.tokens ?? null,
  interactive: null,
  interactive_reply: null,
  ...NO_DETAILS,
  error: null,
  attachments: [],
  billing: null,
});

/** The answer to an accepted send. */
export const expectedSend = (recipient: string, platform = 'telegram') => ({
  message_id: anId('message'),
  platform,
  recipient,
  status: 'sent',
  sent_at: aTimestamp(),
});

/** An item of `GET /conversations`. */
export const expectedConversationItem = (
  participant: { id: string; name: string | null; username: string | null },
  message_count: number,
  platform = 'telegram',
) => ({
  id: anId('conversation'),
  platform,
  account: expectedAccount(),
  participant,
  labels: [],
  metadata: {},
  last_error: null,
  message_count,
  last_message_at: aTimestamp(),
  created_at: aTimestamp(),
  handling: 'assistant',
  handover: null,
  erased_at: null,
  merged_into: null,
});

/** `GET /conversations/{id}`. */
export const expectedConversation = (...item: Parameters<typeof expectedConversationItem>) => ({
  ...expectedConversationItem(...item),
  status: 'active',
  ai_paused: false,
  window: null,
  marketing_stop: null,
});

/** The health of each direction of an integration. Its values change from moment to moment. */
const expectedDirections = () => ({
  receiving: expect.objectContaining({ backlog: null }) as object,
  sending: expect.any(Object) as object,
});

/** The account of an integration that the environment's variables make. */
const environmentAccount = {
  id: expect.stringMatching(/^acc_/) as string,
  name: 'default',
  is_default: true,
  source: 'environment',
  enabled: true,
  settings: expect.any(Object) as object,
  inherited: { group_replies: expect.any(String) as string },
};

/** An item of `GET /integrations` that is connected. */
export const expectedConnected = (platform: string, details: Record<string, string>) => ({
  platform,
  status: 'connected',
  details,
  connected_at: aTimestamp(),
  ...environmentAccount,
  ...expectedDirections(),
});

/** An item of `GET /integrations` of a platform that is not connected, with the reason. */
export const expectedNotConnected = (
  platform: string,
  status: 'disconnected' | 'reconnecting',
  error: string | RegExp,
  connected_at: string | null = null,
) => ({
  platform,
  status,
  details: expect.any(Object) as object,
  connected_at,
  ...environmentAccount,
  ...expectedDirections(),
  error: expect.stringMatching(error) as string,
});

/** An item of `GET /integrations` of a platform without an account. */
export const expectedNotConfigured = (platform: string) => ({
  ...expectedNotConnected(platform, 'disconnected', 'not configured'),
  id: null,
  name: null,
  is_default: false,
  source: null,
  enabled: false,
});
