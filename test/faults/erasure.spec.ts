import { toPublicId } from '#contracts';
import { eventually } from '../support/eventually';
import { Deployment } from './deployment';

const MESSAGES = 10_000;
const CONVERSATION = '01900000-0000-7000-8000-000000000001';
/** `docs/erasure.md` */
const PROMISED_MS = 60_000;

interface Left {
  messages: number;
  contents: number;
  ids: number;
  events: number;
  dispatches: number;
  bodies: number;
}

describe('an erasure of 10,000 messages', () => {
  let deployment: Deployment;

  beforeAll(async () => {
    deployment = await Deployment.create();
  });

  afterAll(() => deployment.stop());

  /** Each message has an event, which a webhook has answered, and an id at its platform. */
  async function fill(webhookId: string): Promise<void> {
    await deployment.sql(`
      INSERT INTO conversations (id, environment, platform, participant_id, participant_name, message_count, created_at,
        last_message_at)
      VALUES ('${CONVERSATION}', 'test', 'telegram', '491720055501', 'Zerlina', ${MESSAGES}, now(), now());
      INSERT INTO messages (id, environment, conversation_id, seq, platform, direction, content, status, received_id, created_at)
      SELECT gen_random_uuid(), 'test', '${CONVERSATION}', n, 'telegram', 'inbound', 'the violet umbrella', 'received',
        'id ' || n, now() - interval '1 hour' + n * interval '1 ms'
      FROM generate_series(1, ${MESSAGES}) n;
      INSERT INTO events (id, environment, type, body, created_at, conversation_id, message_id)
      SELECT id, 'test', 'message.received', '{"content": "the violet umbrella"}', created_at, conversation_id, id FROM messages;
      INSERT INTO webhook_dispatches (event_id, webhook_id, state, created_at) SELECT id, '${webhookId}', 'delivered', now() FROM events;
      INSERT INTO webhook_deliveries (id, webhook_id, event_id, event_type, attempt, status, response_time_ms, response_body,
        created_at)
      SELECT gen_random_uuid(), '${webhookId}', id, type, 1, 'success', 1, body, now() FROM events`);
  }

  const left = async (): Promise<Left> => {
    const [row] = await deployment.sql<Left & Record<string, unknown>>(`
      SELECT (SELECT count(*)::int FROM messages) AS messages, (SELECT count(*)::int FROM messages WHERE content <> '') AS contents,
        (SELECT count(*)::int FROM messages WHERE received_id IS NOT NULL) AS ids,
        (SELECT count(*)::int FROM events WHERE conversation_id IS NOT NULL) AS events,
        (SELECT count(*)::int FROM webhook_dispatches d JOIN events e ON e.id = d.event_id WHERE e.conversation_id IS NOT NULL) AS dispatches,
        (SELECT count(*)::int FROM webhook_deliveries WHERE response_body LIKE '%umbrella%') AS bodies`);
    return row!;
  };

  it('ends within a minute, although its process is killed in the middle, and is reported once', async () => {
    const first = await deployment.startInstance();
    await deployment.sql(`INSERT INTO webhooks (id, environment, url, events, secret, created_at, updated_at)
      VALUES (gen_random_uuid(), 'test', 'http://127.0.0.1:9/', '{backup.failed}', '', now(), now())`);
    const [webhook] = await deployment.sql<{ id: string }>('SELECT id FROM webhooks');
    await fill(webhook!.id);
    expect(await left()).toMatchObject({ messages: MESSAGES, contents: MESSAGES, events: MESSAGES, bodies: MESSAGES });

    const path = `/conversations/${toPublicId('conversation', CONVERSATION)}`;
    const startedAt = performance.now();
    expect((await first.api('DELETE', path)).status).toBe(200);
    const begun = await eventually(
      'some messages are erased',
      async () => {
        const { contents } = await left();
        expect(contents).toBeLessThan(MESSAGES);
        return contents;
      },
      { timeoutMs: 20_000, everyMs: 1 },
    );
    await first.kill();
    process.stdout.write(`killed with ${begun} of ${MESSAGES} messages left\n`);
    expect(await deployment.sql('SELECT 1 FROM erasures')).toHaveLength(1);

    await deployment.startInstance();
    const told = () => deployment.sql<{ body: string }>(`SELECT body FROM events WHERE type = 'conversation.erased'`);
    await eventually('it is told', async () => expect(await told()).toHaveLength(1), {
      timeoutMs: PROMISED_MS,
      everyMs: 100,
    });
    const tookMs = performance.now() - startedAt;
    process.stdout.write(`erased in ${Math.round(tookMs)} ms, with a restart\n`);
    expect(tookMs).toBeLessThan(PROMISED_MS);
    expect(await left()).toEqual({ messages: MESSAGES, contents: 0, ids: 0, events: 0, dispatches: 0, bodies: 0 });
    expect(await deployment.sql('SELECT 1 FROM erased_message_ids')).toHaveLength(MESSAGES);
    expect(await deployment.sql('SELECT 1 FROM erasures')).toEqual([]);
  }, 180_000);
});
