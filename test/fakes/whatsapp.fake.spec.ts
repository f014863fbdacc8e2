import { createHmac } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WhatsAppFake } from './whatsapp.fake';

describe(WhatsAppFake.name, () => {
  const fake = new WhatsAppFake();
  let receiver: Server;
  const received: { headers: IncomingHttpHeaders; body: string }[] = [];
  let answers: number[] = [];

  beforeAll(async () => {
    await fake.start();
    receiver = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request
        .on('data', (chunk: Buffer) => chunks.push(chunk))
        .on('end', () => {
          received.push({ headers: request.headers, body: Buffer.concat(chunks).toString('utf8') });
          response.writeHead(answers.shift() ?? 200).end();
        });
    });
    await new Promise<void>((resolve) => void receiver.listen(0, '127.0.0.1', resolve));
    fake.subscribe(`http://127.0.0.1:${(receiver.address() as AddressInfo).port}/callbacks/whatsapp`);
  });
  afterAll(async () => {
    await fake.shutDown();
    receiver.closeAllConnections();
    await new Promise((resolve) => void receiver.close(resolve));
  });

  const call = async (path: string, body?: object, token: string = fake.account.accessToken) => {
    const answer = await fetch(`${fake.apiUrl}/${path}`, {
      method: body ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: body && JSON.stringify(body),
    });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  };
  const phone = fake.account.phoneNumberId;
  const text = (body: string) => ({ messaging_product: 'whatsapp', to: '491', type: 'text', text: { body } });
  const settled = () =>
    fake.waitUntil(
      () => fake.pendingNotifications === 0,
      () => 'a notification is not accepted',
    );

  it('returns the requested fields', async () => {
    const { body } = await call(`${phone}?fields=display_phone_number,verified_name`);
    expect(body).toEqual({ display_phone_number: fake.phone, verified_name: fake.name, id: phone });
  });

  it('rejects a wrong token and an unknown number as the Graph API does', async () => {
    expect(await call(phone, undefined, 'wrong')).toMatchObject({ status: 401, body: { error: { code: 190 } } });
    expect(await call('1')).toMatchObject({ status: 400, body: { error: { code: 100, error_subcode: 33 } } });
  });

  it('accepts a text and gives it an id', async () => {
    const { body } = await call(`${phone}/messages`, text('*Hello*'));
    expect(body).toMatchObject({ contacts: [{ wa_id: '491' }], messages: [{ id: fake.sent[0]?.id }] });
    expect(fake.sent[0]).toMatchObject({ text: 'Hello', formatted: true });
  });

  it.each([[''], [' \n'], ['x'.repeat(4_097)]])('rejects a body like %j', async (body) => {
    expect(await call(`${phone}/messages`, text(body))).toMatchObject({ status: 400, body: { error: { code: 100 } } });
  });

  const button = (title: string) => ({ type: 'reply', reply: { id: 'yes', title } });
  const offer = (to: object, ...titles: string[]) => ({
    messaging_product: 'whatsapp',
    ...to,
    type: 'interactive',
    interactive: { type: 'button', body: { text: 'Well?' }, action: { buttons: titles.map(button) } },
  });

  it('accepts buttons for a person and rejects them in a group', async () => {
    const group = { recipient_type: 'group', to: 'Y2FwaV9ncm91cDoxNzA1NTU1MDEzOToxMjAzNjM0MDQ2OTQyMzM4MjAZD' };
    expect((await call(`${phone}/messages`, offer({ to: '491' }, 'Yes'))).status).toBe(200);
    expect(await call(`${phone}/messages`, offer(group, 'Yes'))).toMatchObject({ body: { error: { code: 131051 } } });
  });

  it.each([[['x'.repeat(21)]], [['']], [['1', '2', '3', '4']]])('rejects the buttons %j', async (titles) => {
    const answer = await call(`${phone}/messages`, offer({ to: '491' }, ...titles));
    expect(answer).toMatchObject({ status: 400, body: { error: { code: 100 } } });
  });

  it('signs what it posts, and repeats it until it is accepted', async () => {
    answers = [500, 503];
    fake.receiveText({ from: '491', text: 'Grüße' });
    await settled();
    const posts = received.splice(0);
    expect(posts).toHaveLength(3);
    expect(new Set(posts.map(({ body }) => body)).size).toBe(1);
    const [{ headers, body }] = posts as [(typeof posts)[number]];
    const digest = createHmac('sha256', fake.account.appSecret).update(body).digest('hex');
    expect(headers['x-hub-signature-256']).toBe(`sha256=${digest}`);
  });
});
