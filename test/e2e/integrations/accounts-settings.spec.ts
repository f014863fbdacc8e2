import { finishSchema } from '../../../src/core/database/data-source';
import { DISABLE_ACCOUNTS } from '../../../src/accounts/accounts.rows';
import type { IntegrationDto } from '../../../src/integrations/dto/integration.dto';
import { AnthropicFake } from '../../fakes/anthropic.fake';
import { TelegramFake } from '../../fakes/telegram.fake';
import { eventually } from '../../support/eventually';
import { LOCAL_RECEIVERS, ReceiverFake } from '../../fakes/receiver.fake';
import { startTestGateway, type TestGateway } from '../../support/gateway';

describe('Settings of an account', () => {
  const telegram = new TelegramFake();
  const anthropic = new AnthropicFake();
  const receiver = new ReceiverFake();
  let gateway: TestGateway;
  let own: IntegrationDto;

  beforeAll(async () => {
    await Promise.all([telegram.start(), anthropic.start(), receiver.start()]);
    gateway = await startTestGateway({ telegram, anthropic, env: LOCAL_RECEIVERS });
    await gateway.connected('telegram');
    own = await gateway.integration<IntegrationDto>('telegram');
  });
  afterAll(async () => {
    await gateway.stop();
    await Promise.all([telegram.stop(), anthropic.stop(), receiver.stop()]);
  });

  const change = (settings: object) => gateway.api('PATCH', `/integrations/${own.id}`, { settings });

  it('decide about the prompt and the model of answers', async () => {
    await change({ ai: { system_prompt: 'Answer like a baker.', model: 'claude-haiku-4-5' } });
    telegram.receiveContent(7, { text: 'Hello' });
    await eventually('an answer is sent', () => expect(telegram.sent).toHaveLength(1));
    const asked = anthropic.requests.at(-1)!.body as { model: string; system: unknown };
    expect(asked.model).toBe('claude-haiku-4-5');
    expect(JSON.stringify(asked.system)).toContain('Answer like a baker.');
  });

  it('decide about the model that ai.error names', async () => {
    anthropic.fail({ status: 400 });
    telegram.receiveContent(7, { text: 'Hello again' });
    await eventually('the failure is an event', async () =>
      expect(
        await gateway.sql(`SELECT body::jsonb #>> '{data,model}' AS model FROM events WHERE type = 'ai.error'`),
      ).toEqual([{ model: 'claude-haiku-4-5' }]),
    );
  });

  it('turn answers off', async () => {
    await change({ ai: { auto_reply: false } });
    telegram.receiveContent(8, { text: 'Anybody there?' });
    await eventually('the message needs no answer', async () =>
      expect(
        await gateway.sql(
          `SELECT FROM reply_tasks t JOIN conversations c ON c.id = t.conversation_id
           WHERE c.participant_id = '8' AND t.answered_seq = t.requested_seq`,
        ),
      ).toHaveLength(1),
    );
    expect(telegram.sent).toHaveLength(1);
  });

  it('need a key without an AI budget', async () => {
    const { body } = await gateway.api<{ key: string }>('POST', '/admin/api-keys', {
      name: 'Budget',
      scopes: ['admin:settings'],
      ai_budget: { daily_usd: 1, monthly_usd: 1 },
    });
    const answer = await gateway.api(
      'PATCH',
      `/integrations/${own.id}`,
      { settings: { group_replies: 'all' } },
      { key: body.data.key },
    );
    expect(answer).toMatchObject({ status: 403, body: { error: { code: 'INSUFFICIENT_PERMISSIONS' } } });
  });

  it('GET /status shows the default account, and all accounts', async () => {
    const { body } = await gateway.api<{ integrations: Record<string, { status: string; accounts: object[] }> }>(
      'GET',
      '/status',
    );
    expect(body.data.integrations['telegram']).toMatchObject({
      status: 'connected',
      accounts: [{ id: own.id, name: 'default', status: 'connected', is_default: true }],
    });
  });

  it('a webhook with accounts gets their events alone; a restore disables accounts of the API', async () => {
    await finishSchema(gateway.databaseUrl, { info: () => undefined, warn: () => undefined });
    const key = gateway.testKey;
    const post = async (path: string, body: object) =>
      (await gateway.api<{ id: string }>('POST', path, body, { key })).body.data;
    const second = await post('/integrations', {
      platform: 'telegram',
      name: 'Second',
      credentials: { bot_token: '7:a' },
    });
    await post('/webhooks', { url: receiver.url(), events: ['message.received'], accounts: [second.id] });
    for (const account of ['default', 'Second'])
      await post('/sandbox/inbound', { platform: 'telegram', sender: { id: '7' }, content: `to ${account}`, account });
    await eventually('its event is delivered', async () =>
      expect(
        await gateway.sql(
          `SELECT e.body::jsonb #>> '{data,account,name}' AS name FROM webhook_deliveries d JOIN events e ON e.id = d.event_id`,
        ),
      ).toEqual([{ name: 'Second' }]),
    );
    expect(await gateway.sql('SELECT FROM webhook_dispatches WHERE delivered_at IS NULL')).toEqual([]);
    await gateway.sql(DISABLE_ACCOUNTS);
    expect(await gateway.sql('SELECT name, enabled FROM accounts WHERE source = $1', ['api'])).toEqual([
      { name: 'Second', enabled: false },
    ]);
  });
});
