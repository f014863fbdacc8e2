import { Logger } from '@nestjs/common';
import { newUuid } from '#contracts';
import { AddressGuard } from '../../../src/core/egress/address-guard.service';
import { LOCAL_RECEIVERS, ReceiverFake } from '../../fakes/receiver.fake';
import { eventually } from '../../support/eventually';
import { startTestGateway, type TestGateway } from '../../support/gateway';

/** Posts a second to one host. */
const HOST_RATE = 10;

interface Webhook {
  id: string;
  url: string;
}

describe('the limits of webhooks', () => {
  let gateway: TestGateway;
  let receiver: ReceiverFake;

  beforeAll(async () => {
    receiver = await new ReceiverFake().start();
    gateway = await startTestGateway({ env: { ...LOCAL_RECEIVERS, WEBHOOK_HOST_RATE: String(HOST_RATE) } });
  });
  afterEach(async () => {
    await gateway.sql('DELETE FROM webhooks');
    await gateway.api('PATCH', '/admin/settings', { webhooks: { max_endpoints: 50 } }, { key: gateway.testKey });
  });

  const test = <Data = unknown>(method: string, path: string, body?: unknown) =>
    gateway.api<Data>(method, path, body, { key: gateway.testKey });
  const register = (url: string, events = ['message.sent']) => test<Webhook>('POST', '/webhooks', { url, events });
  const statusesOf = (answers: readonly { status: number }[]) =>
    answers.map(({ status }) => status).toSorted((a, b) => a - b);

  describe('webhooks.max_endpoints', () => {
    it('is 50 by default', async () => {
      const { body } = await test<{ webhooks: unknown }>('GET', '/admin/settings');
      expect(body.data.webhooks).toEqual({ max_endpoints: 50 });
    });

    it('refuses one more webhook with INVALID_REQUEST, the reason and the limit, also for simultaneous requests', async () => {
      await test('PATCH', '/admin/settings', { webhooks: { max_endpoints: 3 } });
      const answers = await Promise.all(Array.from({ length: 8 }, (_, n) => register(receiver.url(`/many/${n}`))));
      expect(statusesOf(answers)).toEqual([201, 201, 201, 400, 400, 400, 400, 400]);
      const { error } = answers.find(({ status }) => status === 400)!.body;
      expect(error).toMatchObject({ code: 'INVALID_REQUEST', details: { limit: 3 } });
      expect(error.details).toEqual({
        reason: expect.stringMatching(/webhooks\.max_endpoints allows at most 3 webhooks$/),
        limit: 3,
      });
    });

    it('is at most 1,000', async () => {
      const { status, body } = await test('PATCH', '/admin/settings', { webhooks: { max_endpoints: 1_001 } });
      expect([status, body.error.code]).toEqual([400, 'INVALID_PARAMETER']);
      expect((await test('PATCH', '/admin/settings', { webhooks: { max_endpoints: 1_000 } })).status).toBe(200);
    });

    it('counts each environment separately, without deleted webhooks', async () => {
      await test('PATCH', '/admin/settings', { webhooks: { max_endpoints: 1 } });
      const first = await register(receiver.url('/first'));
      expect((await register(receiver.url('/second'))).status).toBe(400);
      expect((await gateway.api('POST', '/webhooks', { url: receiver.url('/first'), events: ['*'] })).status).toBe(201);
      await test('DELETE', `/webhooks/${first.body.data.id}`);
      expect((await register(receiver.url('/second'))).status).toBe(201);
    });
  });

  describe('one webhook for each environment and URL', () => {
    const isTaken = expect.stringMatching(/registered/) as string;

    it('refuses a URL that is registered already, in any notation', async () => {
      const url = receiver.url('/twice');
      expect((await register(url)).status).toBe(201);
      const spellings = [url, url.replace('http://', 'HTTP://'), url.replace('/twice', '/a/../twice'), `${url}#there`];
      for (const spelling of spellings) {
        const { status, body } = await register(spelling);
        expect(status).toBe(400);
        expect(body.error).toMatchObject({
          code: 'INVALID_PARAMETER',
          details: { parameter: 'url', reason: isTaken, value: spelling },
        });
      }
      expect((await register(receiver.url('/Twice'))).status).toBe(201);
    });

    it('creates one webhook of several simultaneous requests', async () => {
      const answers = await Promise.all(Array.from({ length: 8 }, () => register(receiver.url('/once'))));
      expect(statusesOf(answers)).toEqual([201, ...Array<number>(7).fill(400)]);
    });

    it('refuses to move a webhook to the URL of another, and accepts its own', async () => {
      await register(receiver.url('/one'));
      const { id } = (await register(receiver.url('/two'))).body.data;
      const moved = await test('PATCH', `/webhooks/${id}`, { url: receiver.url('/one') });
      expect(moved.body.error).toMatchObject({
        code: 'INVALID_PARAMETER',
        details: { parameter: 'url', reason: isTaken },
      });
      expect((await test('PATCH', `/webhooks/${id}`, { url: receiver.url('/two') })).status).toBe(200);
      expect((await test('PATCH', `/webhooks/${id}`, { url: receiver.url('/three') })).status).toBe(200);
    });

    it('keeps two webhooks with one URL that an earlier version stored', async () => {
      const url = receiver.url('/old');
      const first = await register(url);
      const twin = newUuid();
      await gateway.sql(
        `INSERT INTO webhooks (id, environment, url, events, secret, created_at, updated_at)
         SELECT $1, environment, url, events, secret, now(), now() FROM webhooks`,
        [twin],
      );
      expect((await test('PATCH', `/webhooks/${first.body.data.id}`, { url, events: ['*'] })).status).toBe(200);
      const { body } = await test<Webhook[]>('GET', '/webhooks');
      expect(body.data.map((webhook) => webhook.url)).toEqual([url, url]);
    });
  });

  it('WEBHOOK_HOST_RATE slows posts to one host, loses none, and does not delay other hosts', async () => {
    const paths = ['/a', '/b', '/c'];
    for (const path of paths) await register(receiver.url(path));
    await register(receiver.url('/other').replace('127.0.0.1', 'localhost'));
    const send = (recipient: string) =>
      test('POST', '/messages/send', { platform: 'telegram', recipient, message: 'hello' });
    await Promise.all(Array.from({ length: 9 }, (_, n) => send(`ada${n}`)));
    const others = await receiver.received(9, '/other');
    await eventually('every post arrives', () => {
      for (const path of paths) expect(receiver.postsTo(path)).toHaveLength(9);
    });
    const times = paths.flatMap((path) => receiver.postsTo(path).map(({ at }) => at)).toSorted((a, b) => a - b);
    // 27 posts, ten a second: the last one leaves two seconds after the first. How exactly: host-rate.service.spec.ts.
    expect(times.at(-1)! - times[0]!).toBeGreaterThan(1_500);
    // The last seven to the host that is held back come after all of this one's.
    expect(others.at(-1)!.at).toBeLessThan(times.at(-7)!);
  });
});

describe('a receiver whose address is refused', () => {
  let gateway: TestGateway;
  let warn: jest.SpyInstance;

  beforeAll(async () => {
    gateway = await startTestGateway();
  });
  beforeEach(() => (warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation()));
  afterEach(() => warn.mockRestore());

  const expectLogged = (reason: string) =>
    expect(warn.mock.calls).toEqual([[`The address of a URL was refused: ${reason}`]]);

  it.each([
    ['an address', 'https://10.1.2.3/hook', '10.1.2.3 is a private address'],
    ['a name of the machine', 'https://localhost/hook', 'localhost is a loopback name'],
    ['a name of the network', 'https://inside.test/hook', 'inside.test resolves to 10.4.5.6, a private address'],
  ])('is called "not allowed" by POST /webhooks (%s), and logged with the reason', async (...row) => {
    const [, url, reason] = row;
    gateway.app.get(AddressGuard).resolve = (_name, _options, callback) =>
      callback(null, [{ address: '10.4.5.6', family: 4 }]);
    const { body } = await gateway.api('POST', '/webhooks', { url, events: ['*'] });
    expect(body.error).toMatchObject({
      code: 'INVALID_PARAMETER',
      details: { parameter: 'url', reason: 'address not allowed' },
    });
    expect(JSON.stringify(body)).not.toMatch(/private|loopback|resolves/);
    expectLogged(reason);
  });

  it('is called "not allowed" by a delivery, and logged with the reason', async () => {
    const made = await gateway.api<Webhook>('POST', '/webhooks', { url: 'https://8.8.8.8/', events: ['*'] });
    await gateway.sql(`UPDATE webhooks SET url = 'https://127.0.0.1/'`);
    const { body } = await gateway.api('POST', `/webhooks/${made.body.data.id}/test`);
    expect(body.data).toMatchObject({ status: 'failed', response_code: null, error: 'address not allowed' });
    expectLogged('127.0.0.1 is a loopback address');
  });
});
