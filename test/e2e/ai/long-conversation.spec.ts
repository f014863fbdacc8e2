import { newUuid } from '#contracts';
import { REPLY_CONTEXT } from '../../../src/ai/assistant/reply-context.rows';
import { ReplyContexts } from '../../../src/ai/assistant/reply-context.service';
import { ANSWERED_MESSAGE } from '../../../src/messages/send/outbound.rows';
import { useGateway } from '../../support/gateway';
import { withClient } from '../../support/with-client';

const MESSAGES = 5_000;

describe('A long conversation', () => {
  const gateway = useGateway();
  let conversation: string;

  /** @param times SQL of the moment of the message at position `i` */
  const fill = async (messages: number, times: string) => {
    conversation = newUuid();
    await gateway.sql(
      `INSERT INTO conversations (id, environment, platform, participant_id, message_count, created_at, last_message_at)
       VALUES ($1::uuid, 'live', 'whatsapp', $1::uuid::text, $2, now(), now())`,
      [conversation, messages],
    );
    await gateway.sql(
      `INSERT INTO messages (id, environment, conversation_id, seq, platform, direction, content, status, created_at)
       SELECT gen_random_uuid(), 'live', $1, i, 'whatsapp', 'inbound', 'Message ' || i, 'received', ${times}
       FROM generate_series(1, $2::integer) i`,
      [conversation, messages],
    );
  };

  const EARLIER = `conversation_id = $1 AND seq < ${MESSAGES}`;
  const replyAfter = (answered: number) => () => [conversation, answered, MESSAGES, 20, 1_000, new Date()];

  it.each([
    ['the message that typing answers', ANSWERED_MESSAGE, () => ['live', 'whatsapp', conversation, 'default'], 200, ''],
    ['a reply', REPLY_CONTEXT, replyAfter(MESSAGES - 1), 200, ''],
    [
      'a reply after the conversation was cleared',
      REPLY_CONTEXT,
      replyAfter(MESSAGES - 1),
      200,
      `UPDATE conversations SET cleared_seq = ${MESSAGES - 3} WHERE id = $1`,
    ],
    [
      'the first reply in a conversation of sends',
      REPLY_CONTEXT,
      replyAfter(0),
      1_200,
      `UPDATE messages SET direction = 'outbound', status = 'delivered' WHERE ${EARLIER}`,
    ],
    [
      'a reply among messages that are not for it',
      REPLY_CONTEXT,
      replyAfter(0),
      1_200,
      `UPDATE messages SET options = '{"in_context": false}' WHERE ${EARLIER}`,
    ],
  ])('is not read from its beginning for %s', async (_, { text }, values, most, change) => {
    await fill(MESSAGES, `now() - interval '1 minute' * (${MESSAGES} + 100 - i)`);
    if (change) await gateway.sql(change, [conversation]);
    await gateway.sql('ANALYZE messages');
    const plan = await withClient(gateway.databaseUrl, async (client) => {
      const { rows } = await client.query<{ 'QUERY PLAN': string }>(
        `EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) ${text}`,
        values(),
      );
      return rows.map((line) => line['QUERY PLAN']).join('\n');
    });
    const counts = [...plan.matchAll(/rows=(\d+)|Removed by Filter: (\d+)/g)].map(([, rows, removed]) =>
      Number(rows ?? removed),
    );
    expect(counts.length).toBeGreaterThan(1);
    expect(Math.max(...counts)).toBeLessThan(most);
  });

  it('gets an answer to its newest message, even if clocks dated it before many others', async () => {
    await fill(100, `now() - interval '1 hour' * (CASE i WHEN 100 THEN 2 ELSE 1 END) + interval '1 second' * i`);
    const task = {
      conversation_id: conversation,
      environment: 'live' as const,
      answered_seq: 99,
      requested_seq: 100,
      admitted: false,
      request_id: null,
      called_for: null,
      was_interrupted: false,
      fence: 1,
      attempts: 1,
      faults: 0,
    };
    const context = await gateway.app.get(ReplyContexts, { strict: false }).load(task);
    expect(context).toMatchObject({ platform: 'whatsapp', participantId: conversation });
    const messages = typeof context === 'object' ? context.call.messages : [];
    expect([messages.length, messages.at(-1)]).toEqual([20, { role: 'user', content: 'Message 100' }]);
  });
});
