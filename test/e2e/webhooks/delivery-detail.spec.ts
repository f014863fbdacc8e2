import { toPublicId, newUuid } from '#contracts';
import { LOCAL_RECEIVERS, ReceiverFake } from '../../fakes/receiver.fake';
import { expectedError } from '../../support/expected';
import { useGateway } from '../../support/gateway';

interface Delivery {
  id: string;
  event_id: string;
  request: { url: string; headers: Record<string, string>; body: string };
  response: { headers: Record<string, string>; body: string } | null;
}

describe('GET /webhooks/{id}/deliveries/{delivery_id}', () => {
  const gateway = useGateway({ env: LOCAL_RECEIVERS });
  let receiver: ReceiverFake;
  const test = <Data = Delivery>(method: string, path: string, body?: unknown) =>
    gateway.api<Data>(method, path, body, { key: gateway.testKey });

  beforeAll(async () => {
    receiver = await new ReceiverFake().start();
  });

  async function deliver(url: string) {
    const webhook = await test<{ id: string }>('POST', '/webhooks', { url, events: ['message.sent'] });
    const webhookId = webhook.body.data.id;
    const delivery = await test<{ id: string }>('POST', `/webhooks/${webhookId}/test`);
    return { webhookId, path: `/webhooks/${webhookId}/deliveries/${delivery.body.data.id}`, ...delivery.body };
  }

  it('shows the request as sent, with masked signatures, and the response', async () => {
    const url = receiver.url('/detail');
    const { path, webhookId, data } = await deliver(url);
    const { status, body } = await test('GET', path);
    const posted = receiver.postsTo('/detail').at(-1)!;
    expect(status).toBe(200);
    expect(body.data).toMatchObject(data);
    const { request, response } = body.data;
    expect(request.url).toBe(url);
    expect(request.body).toBe(posted.raw);
    const own = Object.fromEntries(
      Object.entries(posted.headers).filter(([name]) => !['host', 'connection', 'content-length'].includes(name)),
    );
    expect(request.headers).toEqual({
      ...own,
      'x-service-signature': 'sha256=********',
      'webhook-signature': 'v1,********',
    });
    expect(response!.headers).toMatchObject({ date: expect.any(String) as string });
    expect(typeof response!.body).toBe('string');
    // It stays what it was when the webhook changes.
    await test('PATCH', `/webhooks/${webhookId}`, { url: receiver.url('/other') });
    expect((await test('GET', path)).body.data.request.url).toBe(url);
  });

  it('shows that the previous secret also signed during its grace period', async () => {
    const { webhookId } = await deliver(receiver.url('/twice'));
    await test('PATCH', `/webhooks/${webhookId}`, { secret: 'another secret of good length' });
    const delivery = await test<{ id: string }>('POST', `/webhooks/${webhookId}/test`);
    const { body } = await test('GET', `/webhooks/${webhookId}/deliveries/${delivery.body.data.id}`);
    expect(body.data.request.headers).toMatchObject({
      'x-service-signature': 'sha256=********',
      'x-service-signature-previous': 'sha256=********',
      'webhook-signature': 'v1,******** v1,********',
    });
  });

  it('has no response if none arrived', async () => {
    const { path } = await deliver('http://127.0.0.1:1/nothing');
    const { body } = await test('GET', path);
    expect(body.data.response).toBeNull();
  });

  it('finds a delivery by its id alone, in its environment', async () => {
    const { path } = await deliver(receiver.url('/alone'));
    const id = path.split('/').at(-1)!;
    const below = await test('GET', path);
    expect((await test('GET', `/deliveries/${id}`)).body.data).toEqual(below.body.data);
    const unknown = toPublicId('delivery', newUuid());
    for (const [of, key] of [
      [id, gateway.liveKey],
      [unknown, gateway.testKey],
      ['del_nothing', gateway.testKey],
    ] as const) {
      const answer = await gateway.api('GET', `/deliveries/${of}`, undefined, { key });
      expect(answer).toMatchObject(expectedError('RESOURCE_NOT_FOUND', { resource: 'delivery', id: of }));
    }
  });

  it('finds neither an unknown delivery nor that of another webhook', async () => {
    const { webhookId } = await deliver(receiver.url('/one'));
    const other = await deliver(receiver.url('/two'));
    const unknown = toPublicId('delivery', newUuid());
    for (const id of [unknown, other.path.split('/').at(-1)!]) {
      const answer = await test('GET', `/webhooks/${webhookId}/deliveries/${id}`);
      expect(answer).toMatchObject(expectedError('RESOURCE_NOT_FOUND', { resource: 'delivery', id }));
    }
  });
});
