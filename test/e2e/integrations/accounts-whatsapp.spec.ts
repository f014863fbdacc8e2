import { finishSchema } from '../../../src/core/database/data-source';
import type { IntegrationDto } from '../../../src/integrations/dto/integration.dto';
import { RouterFake } from '../../fakes/router.fake';
import { WhatsAppFake } from '../../fakes/whatsapp.fake';
import { eventually } from '../../support/eventually';
import { startTestGateway, type TestGateway } from '../../support/gateway';

const QUIET = { info: () => undefined, warn: () => undefined };

interface Item {
  content: string;
  account: { name: string };
}

describe('Two numbers of WhatsApp', () => {
  const first = new WhatsAppFake();
  const second = new WhatsAppFake({
    accessToken: 'EAAG-second-token',
    phoneNumberId: '206540352242922',
    appSecret: 'second-app-secret',
    verifyToken: 'second-verify-token',
  });
  const router = new RouterFake(({ headers }) =>
    headers.authorization === `Bearer ${second.account.accessToken}` ? second.url : first.url,
  );
  let gateway: TestGateway;
  let id: string;

  beforeAll(async () => {
    await Promise.all([first.start(), second.start(), router.start()]);
    gateway = await startTestGateway({ env: { ...first.env, WHATSAPP_API_URL: `${router.url}/v26.0` } });
    await finishSchema(gateway.databaseUrl, QUIET);
    await gateway.connected('whatsapp');
    const { accessToken, phoneNumberId, appSecret, verifyToken } = second.account;
    const credentials = {
      access_token: accessToken,
      phone_number_id: phoneNumberId,
      app_secret: appSecret,
      verify_token: verifyToken,
      business_account_id: second.setup.businessAccountId,
    };
    const body = { platform: 'whatsapp', name: 'Second', credentials };
    const added = await gateway.api<IntegrationDto>('POST', '/integrations', body);
    expect(added.status).toBe(201);
    id = added.body.data.id!;
  });
  afterAll(async () => {
    await gateway.stop();
    await router.stop();
    await Promise.all([first.shutDown(), second.shutDown()]);
  });
  afterEach(() => {
    first.subscribe(undefined);
    second.subscribe(undefined);
  });

  const messages = async () =>
    (await gateway.api<Item[]>('GET', '/messages')).body.data.map(({ content, account }) => [content, account.name]);
  const callback = (path: string) => `${gateway.url}/callbacks/whatsapp${path}`;

  it.each([
    ['the common address', () => ''],
    ['an address of each', () => `/${id}`],
  ])('get their own messages at %s', async (where, path) => {
    first.subscribe(callback(''));
    second.subscribe(callback(path()));
    first.receiveText({ from: '49170', name: 'Ada', text: `to the first at ${where}` });
    second.receiveText({ from: '49170', name: 'Ada', text: `to the second at ${where}` });
    await eventually('both are stored', async () =>
      expect(await messages()).toEqual(
        expect.arrayContaining([
          [`to the first at ${where}`, 'default'],
          [`to the second at ${where}`, 'Second'],
        ]),
      ),
    );
    expect(await gateway.sql(`SELECT FROM integration_notices`)).toEqual([]);
  });

  it('answer the handshake with the token of either; at its own address with its own alone', async () => {
    const handshake = async (path: string, token: string) => {
      const query = new URLSearchParams({ 'hub.mode': 'subscribe', 'hub.verify_token': token, 'hub.challenge': '42' });
      return (await fetch(`${callback(path)}?${query.toString()}`)).status;
    };
    for (const { account } of [first, second]) expect(await handshake('', account.verifyToken)).toBe(200);
    expect(await handshake('', 'wrong')).toBe(403);
    expect(await handshake(`/${id}`, second.account.verifyToken)).toBe(200);
    expect(await handshake(`/${id}`, first.account.verifyToken)).toBe(403);
    expect(await handshake('/acc_01h455vb4pex5vsknk084sn02q', second.account.verifyToken)).toBe(404);
  });

  it('never admit messages for one with the signature of the other', async () => {
    const forger = new WhatsAppFake({ ...second.account, appSecret: first.account.appSecret });
    await forger.start();
    forger.subscribe(callback(''));
    forger.receiveText({ from: '49171', name: 'Mallory', text: 'forged' });
    first.subscribe(callback(''));
    first.receiveText({ from: '49172', name: 'Ada', text: 'after the forged one' });
    await eventually('the true one is stored', async () =>
      expect(await messages()).toContainEqual(['after the forged one', 'default']),
    );
    expect((await messages()).map(([content]) => content)).not.toContain('forged');
    await forger.shutDown();
  });

  it('send by their own number', async () => {
    for (const account of ['default', 'Second']) {
      const body = { platform: 'whatsapp', recipient: '49170', message: 'Hello', account };
      expect(await gateway.api('POST', '/messages/send', body)).toMatchObject({ body: { data: { status: 'sent' } } });
    }
    expect([first.sent.length, second.sent.length]).toEqual([1, 1]);
  });

  it('have the templates of their own business account', async () => {
    const components = [{ type: 'BODY', text: 'Your order is ready.' }];
    first.templates.all.push({ name: 'of_the_first', language: 'en', components });
    second.templates.all.push({ name: 'of_the_second', language: 'en', components });
    const namesOf = async (query: string) =>
      (await gateway.api<{ name: string }[]>('GET', `/templates${query}`)).body.data.map(({ name }) => name);
    for (const query of ['', '?account=Second'])
      expect(await gateway.api('POST', `/templates/sync${query}`)).toMatchObject({ body: { data: { templates: 1 } } });
    expect(await namesOf('')).toEqual(['of_the_first']);
    expect(await namesOf(`?account=${id}`)).toEqual(['of_the_second']);
    expect(await gateway.api('GET', '/templates?account=Third')).toMatchObject({
      status: 400,
      body: { error: { code: 'INVALID_PARAMETER', details: { parameter: 'account' } } },
    });
    const send = (template: string) =>
      gateway.api<{ status: string }>('POST', '/messages/send', {
        platform: 'whatsapp',
        recipient: '49170',
        account: 'Second',
        template: { name: template, language: 'en' },
      });
    expect((await send('of_the_second')).body.data.status).toBe('sent');
    expect(second.sent.at(-1)!.text).toContain('Your order is ready.');
    expect(await send('of_the_first')).not.toMatchObject({ body: { data: { status: 'sent' } } });
  });

  it('filter messages, conversations and statistics', async () => {
    const listed = async (path: string) => (await gateway.api<Item[]>('GET', `${path}?account_id=${id}`)).body.data;
    for (const path of ['/messages', '/conversations'])
      expect(new Set((await listed(path)).map(({ account }) => account.name))).toEqual(new Set(['Second']));
    const { body } = await gateway.api<{ totals: { messages: number; conversations: number } }>(
      'GET',
      `/admin/stats?account_id=${id}`,
    );
    expect(body.data.totals).toMatchObject({ messages: 4, conversations: 1 });
    expect((await gateway.api('GET', '/messages?account_id=acc_01h455vb4pex5vsknk084sn02q')).body.data).toEqual([]);
  });
});
