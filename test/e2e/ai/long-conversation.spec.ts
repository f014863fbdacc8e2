import { newUuid } from '#contracts';
import { REPLY_CONTEXT } from '../../../src/ai/assistant/reply-context.service';
import { ANSWERED_MESSAGE } from '../../../src/messages/outbound/typing.service';
import { startTestGateway, type TestGateway } from '../../support/gateway';
import { withClient } from '../../support/with-client';

const MESSAGES = 5_000;

describe('A long conversation', () => {
  const conversation = newUuid();
  const answerTo = [conversation, MESSAGES - 1, MESSAGES, 20, new Date()];
  let gateway: TestGateway;

  beforeAll(async () => {
    gateway = await startTestGateway();
    await gateway.sql(
      `INSERT INTO conversations (id, environment, platform, participant_id, message_count, created_at, last_message_at)
       VALUES ($1::uuid, 'live', 'whatsapp', $1::uuid::text, ${MESSAGES}, now(), now())`,
      [conversation],
    );
    await gateway.sql(
      `INSERT INTO messages (id, environment, conversation_id, seq, platform, direction, content, status, created_at)
       SELECT gen_random_uuid(), 'live', $1, i, 'whatsapp', 'inbound', 'Hi', 'received',
         now() - interval '1 minute' * (${MESSAGES} + 100 - i)
       FROM generate_series(1, ${MESSAGES}) i`,
      [conversation],
    );
    await gateway.sql('ANALYZE messages');
  });
  afterAll(() => gateway.stop());

  it.each([
    ['the context of a reply', REPLY_CONTEXT, answerTo, 0],
    ['the context of a reply after the conversation was cleared', REPLY_CONTEXT, answerTo, MESSAGES - 3],
    ['the message that typing answers', ANSWERED_MESSAGE, ['live', 'whatsapp', conversation], 0],
  ])('is not read to its beginning for %s', async (_, { text }, values, cleared) => {
    await gateway.sql('UPDATE conversations SET cleared_seq = $1', [cleared]);
    const plan = await withClient(gateway.databaseUrl, async (client) => {
      const { rows } = await client.query<{ 'QUERY PLAN': string }>(
        `EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) ${text}`,
        values,
      );
      return rows.map((line) => line['QUERY PLAN']).join('\n');
    });
    const counts = [...plan.matchAll(/rows=(\d+)|Removed by Filter: (\d+)/g)].map(([, rows, removed]) =>
      Number(rows ?? removed),
    );
    expect(counts.length).toBeGreaterThan(1);
    expect(Math.max(...counts)).toBeLessThan(200);
  });
});
