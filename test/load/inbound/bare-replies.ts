import { hash } from 'node:crypto';
import type { Pool } from 'pg';
import { newUuid } from '#contracts';
import { MODEL, type ProviderMessage } from '../ai/exchange';
import { BareBill, BILL_SCHEMA, billValues, insertBill, responseEvent } from '../bare/bare-bill';
import { bareEvent, eventValues, storeEvents } from '../bare/bare-events';
import {
  finishStatement,
  MESSAGE_SCHEMA,
  messageData,
  openConversation,
  sentEvents,
  type BareMessage,
} from '../bare/bare-messages';
import type { BareProvider, ProviderAnswer } from '../bare/bare-provider';
import { CONTEXT_MESSAGES } from './conversation';

/** The message tables, a unique id against duplicate deliveries, and one reply at a time per conversation. */
const SCHEMA = `${MESSAGE_SCHEMA};
  ${BILL_SCHEMA};
  ALTER TABLE message ADD received_id text;
  CREATE UNIQUE INDEX message_received ON message (received_id) WHERE received_id IS NOT NULL;
  CREATE TABLE reply (
    conversation_id uuid PRIMARY KEY, requested int NOT NULL, answered int NOT NULL DEFAULT 0, holder uuid, lease_until timestamptz
  ) WITH (fillfactor = 80)`;

/** Stores the message, its event and the due reply, and leases the reply unless one is in progress. Returns the context. */
const RECEIVE = {
  name: 'receive',
  text: `WITH c AS (${openConversation('$2, $3, $4, 1, $5')}, messages),
    m AS (
      INSERT INTO message (id, conversation_id, direction, content, status, received_id, created_at)
      SELECT $1, id, 'inbound', $6, 'received', $7, $5 FROM c
    ),
    r AS (
      INSERT INTO reply (conversation_id, requested, holder, lease_until)
      SELECT id, messages, $1, now() + interval '15 seconds' FROM c
      ON CONFLICT (conversation_id) DO UPDATE SET requested = excluded.requested,
        holder = CASE WHEN reply.lease_until > now() THEN reply.holder ELSE excluded.holder END,
        lease_until = CASE WHEN reply.lease_until > now() THEN reply.lease_until ELSE excluded.lease_until END
      RETURNING requested, holder
    ),
    ${storeEvents(8, 'true')}
    SELECT requested, holder = $1 AS mine, (
      SELECT json_agg(earlier) FROM (
        SELECT direction, content FROM message WHERE conversation_id = $2
        ORDER BY created_at DESC, id DESC LIMIT ${CONTEXT_MESSAGES - 1}
      ) earlier
    ) AS earlier FROM r`,
};

/** With the lease: stores the answer as a pending message, its bill, its event, and which messages it answers. */
const ANSWER = {
  name: 'answer',
  text: `WITH r AS (
      UPDATE reply SET answered = $6 WHERE conversation_id = $2 AND holder = $5 RETURNING 1
    ),
    c AS (
      UPDATE conversation SET messages = messages + 1, last_message_at = $4 WHERE id = $2 AND EXISTS (SELECT FROM r)
    ),
    m AS (
      INSERT INTO message (id, conversation_id, direction, content, status, created_at, lease_until)
      SELECT $1, $2, 'outbound', $3, 'pending', $4, now() + interval '15 seconds' FROM r
    ),
    ${insertBill(7, 'FROM r')},
    ${storeEvents(13, 'EXISTS (SELECT FROM r)')}
    SELECT EXISTS (SELECT FROM r) AS leased`,
};

const FINISH = finishStatement(`,
  r AS (UPDATE reply SET holder = NULL, lease_until = NULL WHERE conversation_id = $7 AND holder = $8)`);

const PLATFORM = 'telegram';

export interface Received {
  chat: string;
  text: string;
  /** The platform's id. */
  messageId: string;
}

/** A due reply, with its lease. */
interface Owed extends Received {
  conversationId: string;
  holder: string;
  requested: number;
  context: ProviderMessage[];
}

interface ReceivedRow {
  requested: number;
  mine: boolean;
  earlier: { direction: string; content: string }[] | null;
}

/**
 * Stores messages, gets answers and sends them, in four statements. A real server also needs a sweep for crashes and for
 * messages that arrive while an answer is in progress. Here it would find nothing, so it is left out.
 */
export class BareReplies {
  private readonly bill: BareBill;

  /** @param send resolves with the platform's id once the platform has accepted a text */
  constructor(
    private readonly pool: Pool,
    private readonly provider: BareProvider,
    private readonly send: (chat: string, text: string) => Promise<string>,
  ) {
    this.bill = new BareBill(pool);
  }

  async prepare(): Promise<void> {
    await this.pool.query(SCHEMA);
  }

  /** Resolves once the message is durable. @returns the due reply, if this call got its lease */
  async receive(received: Received): Promise<Owed | undefined> {
    const { chat, text, messageId } = received;
    const now = new Date();
    const id = newUuid(now.getTime());
    const conversationId = conversationOf(chat);
    const message = { id, conversationId, platform: PLATFORM, participant: chat, content: text };
    const event = bareEvent('message.received', now, messageData(message));
    const { rows } = await this.pool.query<ReceivedRow>({
      ...RECEIVE,
      values: [id, conversationId, PLATFORM, chat, now, text, messageId, ...eventValues([event], now)],
    });
    const { requested, mine, earlier } = rows[0]!;
    if (!mine) return undefined;
    const messages = [...(earlier ?? []).toReversed(), { direction: 'inbound', content: text }].map(
      ({ direction, content }): ProviderMessage => ({ role: direction === 'inbound' ? 'user' : 'assistant', content }),
    );
    // The provider requires the first message to be the person's.
    const context = messages.slice(messages.findIndex(({ role }) => role === 'user'));
    return { ...received, conversationId, holder: id, requested, context };
  }

  async reply(owed: Owed): Promise<void> {
    const { conversationId } = owed;
    const call = { requestId: newUuid(), conversationId };
    const announced = this.bill.announce(call, MODEL);
    const [answer] = await Promise.all([this.provider.ask(owed.context), announced]);
    const message = await this.record(owed, call.requestId, answer);
    if (!message) return;
    const platformId = await this.send(owed.chat, answer.text);
    const sentAt = new Date();
    const events = eventValues(sentEvents(message, sentAt), sentAt);
    await this.pool.query({ ...FINISH, values: [message.id, platformId, ...events, conversationId, owed.holder] });
  }

  /** @returns undefined if another process has the lease */
  private async record(
    { conversationId, chat, holder, requested }: Owed,
    requestId: string,
    answer: ProviderAnswer,
  ): Promise<BareMessage | undefined> {
    const at = new Date();
    const id = newUuid(at.getTime());
    const event = responseEvent({ requestId, conversationId }, answer, at);
    const { rows } = await this.pool.query<{ leased: boolean }>({
      ...ANSWER,
      values: [
        id,
        conversationId,
        answer.text,
        at,
        holder,
        requested,
        ...billValues(answer, at),
        ...eventValues([event], at),
      ],
    });
    if (!rows[0]!.leased) return undefined;
    return { id, conversationId, platform: PLATFORM, participant: chat, content: answer.text };
  }
}

/** A person's conversation id, derived from the chat without a query. */
function conversationOf(chat: string): string {
  const digits = hash('sha256', `${PLATFORM}:${chat}`);
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-8${digits.slice(13, 16)}-8${digits.slice(17, 20)}-${digits.slice(20, 32)}`;
}
