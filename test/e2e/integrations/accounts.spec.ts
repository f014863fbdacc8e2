import { finishSchema } from '../../../src/core/database/data-source';
import type { IntegrationDto } from '../../../src/integrations/dto/integration.dto';
import { RouterFake } from '../../fakes/router.fake';
import { TelegramFake } from '../../fakes/telegram.fake';
import { EventSourceClient } from '../../support/event-source';
import { eventually } from '../../support/eventually';
import { anId, expectedError } from '../../support/expected';
import { startTestGateway, useGateway, type TestGateway } from '../../support/gateway';

const QUIET = { info: () => undefined, warn: () => undefined };
const TOKEN = { bot_token: '7001:shop' };

interface Conversation {
  id: string;
  account: { id: string; name: string };
}

const call = (gateway: TestGateway, key: string) => ({
  list: async () => (await gateway.api<IntegrationDto[]>('GET', '/integrations', undefined, { key })).body.data,
  add: (name: string, credentials: object = TOKEN, platform = 'telegram') =>
    gateway.api<IntegrationDto>('POST', '/integrations', { platform, name, credentials }, { key }),
  change: (id: string, body: object) => gateway.api<IntegrationDto>('PATCH', `/integrations/${id}`, body, { key }),
  remove: (id: string) => gateway.api('DELETE', `/integrations/${id}`, undefined, { key }),
  send: (body: object) =>
    gateway.api<{ message_id: string; status: string }>(
      'POST',
      '/messages/send',
      { platform: 'telegram', recipient: '7', message: 'Hello', ...body },
      { key },
    ),
  conversations: async () =>
    (await gateway.api<Conversation[]>('GET', '/conversations?sort=created_at', undefined, { key })).body.data,
});

describe('Accounts before the schema is finished', () => {
  const gateway = useGateway();

  it('are one of a platform: a second one gets INVALID_REQUEST that names the command', async () => {
    const { add } = call(gateway, gateway.testKey);
    expect(await add('Shop')).toMatchObject({
      status: 400,
      body: {
        error: { code: 'INVALID_REQUEST', message: expect.stringContaining('gateway migrate --finish') as string },
      },
    });
  });

  it('may be the first one of a platform that the environment does not name', async () => {
    const { list } = call(gateway, gateway.liveKey);
    expect((await list()).map(({ id, name, status }) => [id, name, status])).toEqual(
      Array.from({ length: 3 }, () => [null, null, 'disconnected']),
    );
  });
});

describe('Accounts of the sandbox', () => {
  const gateway = useGateway();
  let api: ReturnType<typeof call>;

  beforeAll(async () => {
    await finishSchema(gateway.databaseUrl, QUIET);
    api = call(gateway, gateway.testKey);
  });

  const play = (body: object) =>
    gateway.api<{ conversation_id: string }>(
      'POST',
      '/sandbox/inbound',
      { platform: 'telegram', sender: { id: '7' }, content: 'Hi', ...body },
      { key: gateway.testKey },
    );

  it('are listed one by one; the environment makes the default', async () => {
    const telegram = (await api.list()).filter(({ platform }) => platform === 'telegram');
    expect(telegram).toEqual([
      expect.objectContaining({
        id: anId('account'),
        name: 'default',
        is_default: true,
        source: 'environment',
        enabled: true,
        status: 'connected',
        settings: { ai: { auto_reply: null, system_prompt: null, model: null, tools: null }, group_replies: null },
        inherited: { group_replies: 'mentions' },
      }),
    ]);
  });

  it('are added, renamed, made the default, disabled and deleted; a deleted bot comes back as the same account', async () => {
    const added = await api.add('Shop');
    expect(added).toMatchObject({
      status: 201,
      body: { data: { id: anId('account'), name: 'Shop', is_default: false, source: 'api', enabled: true } },
    });
    expect(JSON.stringify(added.body)).not.toContain(TOKEN.bot_token);
    const { id } = added.body.data as { id: string };
    expect((await api.add('  ')).body).toMatchObject({ error: { details: { parameter: 'name' } } });
    expect(await api.add('Other')).toMatchObject({ status: 400, body: { error: { code: 'INVALID_PARAMETER' } } });
    expect(await api.add('Shop', { bot_token: '7002:x' })).toMatchObject({
      status: 400,
      body: { error: { details: { parameter: 'name' } } },
    });
    const unchanged = { status: 200, body: { data: { id, name: 'Shop', is_default: false, enabled: true } } };
    for (const change of [{ is_default: false }, { settings: {} }, { settings: { ai: {} } }])
      expect(await api.change(id, change)).toMatchObject(unchanged);
    expect(await api.change(id, {})).toMatchObject({ status: 400 });
    expect((await api.change(id, { name: 'Store', is_default: true })).body.data).toMatchObject({
      name: 'Store',
      is_default: true,
    });
    expect(await api.change(id, { is_default: false })).toMatchObject({ status: 400 });
    expect((await api.change(id, { credentials: { bot_token: '7001:rolled' } })).status).toBe(200);
    expect(await api.change(id, { credentials: { bot_token: '7009:other' } })).toMatchObject({ status: 400 });
    const settings = { ai: { system_prompt: 'Be brief.' }, group_replies: 'none' };
    expect((await api.change(id, { settings })).body.data.settings).toMatchObject(settings);
    expect((await api.change(id, { settings: { ai: { system_prompt: null } } })).body.data.settings).toEqual({
      ai: { auto_reply: null, system_prompt: null, model: null, tools: null },
      group_replies: 'none',
    });
    expect((await api.change(id, { settings: { ai: { model: '  ' } } })).body).toMatchObject({
      error: { code: 'INVALID_PARAMETER', details: { parameter: 'settings.ai.model' } },
    });
    expect((await api.change(id, { enabled: false })).body.data).toMatchObject({ status: 'disconnected' });
    for (const answer of [await api.send({ account: 'Store' }), await play({ account: 'Store' })])
      expect(answer).toMatchObject({ body: { error: { code: 'PLATFORM_NOT_CONNECTED' } } });
    expect((await api.remove(id)).body.data).toEqual({ id, deleted: true });
    expect(await api.send({ account: id })).toMatchObject({ body: { error: { code: 'PLATFORM_NOT_CONNECTED' } } });
    expect(await api.remove(id)).toEqual(
      expect.objectContaining(expectedError('RESOURCE_NOT_FOUND', { resource: 'account', id })),
    );
    expect((await api.list()).filter(({ platform }) => platform === 'telegram')).toMatchObject([{ is_default: true }]);
    expect((await api.add('Shop again')).body.data).toMatchObject({ id, name: 'Shop again' });
    await api.remove(id);
  });

  it('cannot change the credentials of the account of the environment, or delete it', async () => {
    const own = (await api.list()).find(({ platform }) => platform === 'telegram')!;
    for (const answer of [await api.change(own.id!, { credentials: TOKEN }), await api.remove(own.id!)])
      expect(answer).toMatchObject({ status: 400, body: { error: { code: 'INVALID_REQUEST' } } });
    expect((await api.change(own.id!, { name: 'Main' })).body.data).toMatchObject({ name: 'Main' });
    await api.change(own.id!, { name: 'default' });
  });

  it('have a conversation each with the same person; a send goes to the newest one, else to the default', async () => {
    const { id } = (await api.add('Second', { bot_token: '7003:second' })).body.data as { id: string };
    const first = await play({});
    const second = await play({ account: 'Second' });
    expect(second.body.data.conversation_id).not.toBe(first.body.data.conversation_id);
    expect((await api.conversations()).map(({ account }) => account.name)).toEqual(['default', 'Second']);
    const accountOf = async (body: object) => {
      const { message_id } = (await api.send(body)).body.data;
      const { body: read } = await gateway.api<{ account: object }>('GET', `/messages/${message_id}`, undefined, {
        key: gateway.testKey,
      });
      return read.data.account;
    };
    expect(await accountOf({})).toEqual({ id, name: 'Second' });
    expect(await accountOf({ account: 'default' })).toMatchObject({ name: 'default' });
    expect(await accountOf({ account: id, recipient: '8' })).toEqual({ id, name: 'Second' });
    expect(await accountOf({ recipient: '9' })).toMatchObject({ name: 'default' });
    expect(await api.send({ account: 'Third' })).toMatchObject({
      status: 400,
      body: { error: { code: 'INVALID_PARAMETER', details: { parameter: 'account' } } },
    });
    expect(await play({ account: 'Third' })).toMatchObject({ status: 400 });
    const reconnected = await gateway.api('POST', `/integrations/${id}/reconnect`, undefined, { key: gateway.testKey });
    expect(reconnected).toMatchObject({ status: 200, body: { data: { platform: 'telegram' } } });
    const [event] = await gateway.sql<{ account: object }>(
      `SELECT body::jsonb -> 'data' -> 'account' AS account FROM events WHERE type = 'message.sent' AND body::jsonb #>> '{data,account,name}' = 'Second' LIMIT 1`,
    );
    expect(event!.account).toEqual({ id, name: 'Second' });
  });
});

describe('An event stream with accounts', () => {
  const gateway = useGateway();

  it('has the events of these accounts, and those about no account', async () => {
    await finishSchema(gateway.databaseUrl, QUIET);
    const key = gateway.testKey;
    const { id } = (await call(gateway, key).add('Second')).body.data as { id: string };
    const stream = await EventSourceClient.open(gateway.url, key, `/events/stream?accounts=${id}`);
    expect(stream.status).toBe(200);
    for (const account of ['default', 'Second']) {
      const body = { platform: 'telegram', sender: { id: '7' }, content: `to ${account}`, account };
      await gateway.api('POST', '/sandbox/inbound', body, { key });
    }
    await eventually('the answer of the second has arrived', () => expect(stream.types).toContain('message.sent'));
    // Calls of the AI are about no account.
    expect(stream.types).toContain('ai.response');
    const received = stream.events.filter(({ event }) => event === 'message.received');
    expect(received.map(({ data }) => data)).toEqual([expect.stringContaining('to Second')]);
    expect(stream.events.filter(({ data }) => data.includes('"name":"default"'))).toEqual([]);
    stream.close();
  });
});

describe('Two bots of Telegram', () => {
  const bots = [new TelegramFake({ token: '4242:first' }), new TelegramFake({ token: '5353:second' })] as const;
  const router = new RouterFake(({ url }) => (url!.includes('5353') ? bots[1].url : bots[0].url));
  let gateway: TestGateway;
  let other: TestGateway;
  let id: string;

  beforeAll(async () => {
    await Promise.all(bots.map((bot) => bot.start()));
    await router.start();
    const env = { TELEGRAM_BOT_TOKEN: bots[0].token, TELEGRAM_API_ROOT: router.url };
    gateway = await startTestGateway({ env });
    await finishSchema(gateway.databaseUrl, QUIET);
    other = await startTestGateway({ env, databaseUrl: gateway.databaseUrl });
    await gateway.connected('telegram');
  });
  afterAll(async () => {
    await Promise.all([gateway.stop(), other.stop()]);
    await router.stop();
    await Promise.all(bots.map((bot) => bot.stop()));
  });

  it('refuses credentials that the platform refuses, and a bot that is an account already', async () => {
    const { add } = call(gateway, gateway.liveKey);
    expect(await add('Wrong', { bot_token: '5353:wrong' })).toMatchObject({
      status: 400,
      body: { error: { code: 'INVALID_PARAMETER', details: { parameter: 'credentials' } } },
    });
    expect(await add('Same', { bot_token: bots[0].token })).toMatchObject({
      status: 400,
      body: { error: { code: 'INVALID_PARAMETER', details: { parameter: 'credentials' } } },
    });
    expect(await add('Empty', {})).toMatchObject({
      status: 400,
      body: { error: { code: 'MISSING_PARAMETER', details: { parameter: 'credentials.bot_token' } } },
    });
  });

  it('connects a further bot on all instances without a restart; each bot gets its own messages', async () => {
    const added = await call(other, other.liveKey).add('Second', { bot_token: bots[1].token });
    expect(added.status).toBe(201);
    id = added.body.data.id!;
    await eventually('the second bot is connected', async () => {
      const accounts = (await call(gateway, gateway.liveKey).list()).filter(({ platform }) => platform === 'telegram');
      expect(accounts.map(({ name, status }) => [name, status])).toEqual([
        ['default', 'connected'],
        ['Second', 'connected'],
      ]);
    });
    bots[0].receiveContent(7, { text: 'to the first' });
    bots[1].receiveContent(7, { text: 'to the second' });
    await eventually('both have a conversation', async () =>
      expect(
        (await call(gateway, gateway.liveKey).conversations()).map(({ account }) => account.name).toSorted(),
      ).toEqual(['Second', 'default']),
    );
    const messages = await gateway.api<{ content: string; account: { name: string } }[]>('GET', '/messages');
    expect(
      messages.body.data
        .map(({ content, account }) => [content, account.name])
        .toSorted(([first], [second]) => (first! < second! ? -1 : 1)),
    ).toEqual([
      ['to the first', 'default'],
      ['to the second', 'Second'],
    ]);
    for (const instance of [gateway, other]) {
      expect((await call(instance, instance.liveKey).send({ account: 'Second' })).body.data.status).toBe('sent');
      expect((await call(instance, instance.liveKey).send({ account: 'default' })).body.data.status).toBe('sent');
    }
    expect(bots.map(({ sent }) => sent.length)).toEqual([2, 2]);
  });

  it('stores the credentials encrypted', async () => {
    const rows = await gateway.sql<{ row: string }>('SELECT a::text AS row FROM accounts a');
    expect(JSON.stringify(rows)).not.toContain(bots[1].token);
  });

  it('loses only the bot whose token is revoked, and takes a new token of it', async () => {
    bots[1].token = '5353:rolled';
    const api = call(gateway, gateway.liveKey);
    const states = async () =>
      (await api.list()).filter(({ platform }) => platform === 'telegram').map(({ status }) => status);
    // Only the instance that holds the connection checks the token after a refused send.
    for (const instance of [gateway, other])
      expect((await call(instance, instance.liveKey).send({ account: 'Second' })).body.data.status).toBe('failed');
    await eventually('the second bot is disconnected', async () =>
      expect(await states()).toEqual(['connected', 'disconnected']),
    );
    const text = await (await fetch(`${gateway.url}/metrics`)).text();
    expect(text).toContain('gateway_integration_state{platform="telegram",status="connected"} 1');
    expect(text).toContain('gateway_integration_state{platform="telegram",account="Second",status="connected"} 0');
    expect((await api.send({ account: 'default' })).body.data.status).toBe('sent');
    const problems = await gateway.api<{ title: string }[]>('GET', '/problems');
    expect(problems.body.data.map(({ title }) => title)).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^Telegram \(Second\) is not connected: Telegram refuses the bot token/),
        expect.stringMatching(/^Messages on Telegram \(Second\) fail: /),
      ]),
    );
    expect((await api.change(id, { credentials: { bot_token: bots[1].token } })).status).toBe(200);
    await eventually('it is connected again', async () => expect(await states()).toEqual(['connected', 'connected']));
    expect((await call(other, other.liveKey).send({ account: id })).body.data.status).toBe('sent');
  });

  it('ends with the account: the other instance sends nothing more', async () => {
    await call(gateway, gateway.liveKey).remove(id);
    await eventually('the other instance knows', async () =>
      expect(await call(other, other.liveKey).send({ account: id })).toMatchObject({
        body: { error: { code: 'PLATFORM_NOT_CONNECTED' } },
      }),
    );
  });
});
