import { LOCAL_RECEIVERS, ReceiverFake } from '../../fakes/receiver.fake';
import { anId, aTimestamp, expectedError } from '../../support/expected';
import { eventually } from '../../support/eventually';
import { useGateway } from '../../support/gateway';

interface StoredEvent {
  id: string;
  type: string;
  created_at: string;
  data: { message_id?: string };
  deliveries?: object[];
}

describe('GET /events/{event_id}', () => {
  const gateway = useGateway({ env: LOCAL_RECEIVERS });
  let receiver: ReceiverFake;

  beforeAll(async () => {
    receiver = await new ReceiverFake().start();
    const webhook = { url: receiver.url('/hook'), events: ['*'], secret: 'a secret of good length' };
    expect((await gateway.api('POST', '/webhooks', webhook, { key: gateway.testKey })).status).toBe(201);
    const body = { platform: 'telegram', sender: { id: '1' }, content: 'Hello' };
    expect((await gateway.api('POST', '/sandbox/inbound', body, { key: gateway.testKey })).status).toBe(200);
  });

  const read = (id: string, key = gateway.testKey) =>
    gateway.api<StoredEvent>('GET', `/events/${id}`, undefined, { key });
  /** The event of a type as the webhook got it. */
  const posted = (type: string) =>
    eventually(`${type} is posted`, () => {
      const post = receiver.posts.find(({ event }) => event.type === type);
      expect(post).toBeDefined();
      return post!.event;
    });

  it('returns the same event as webhooks, with its deliveries', async () => {
    const event = await posted('message.received');
    const { status, body } = await eventually('the attempt is recorded', async () => {
      const answer = await read(event.id);
      expect(answer.body.data.deliveries).toHaveLength(1);
      return answer;
    });
    expect(status).toBe(200);
    expect(body.data).toEqual({
      ...event,
      deliveries: [
        {
          id: anId('delivery'),
          webhook_id: anId('webhook'),
          event_id: event.id,
          event_type: 'message.received',
          url: receiver.url('/hook'),
          attempt: 1,
          status: 'success',
          response_code: 200,
          response_time_ms: expect.any(Number) as number,
          timestamp: aTimestamp(),
          error: null,
          next_retry_at: null,
        },
      ],
    });
  });

  it('needs the scope of the event type, and shows deliveries only with admin:settings', async () => {
    const [message, ai] = [await posted('message.received'), await posted('ai.response')];
    const messages = await gateway.createKey({ environment: 'test', scopes: ['read:messages'] });
    const status = await gateway.createKey({ environment: 'test', scopes: ['read:status'] });
    expect((await read(message.id, messages)).body.data).toEqual(message);
    expect((await read(ai.id, status)).body.data).toEqual(ai);
    for (const [id, key, required_scope, key_scopes] of [
      [message.id, status, 'read:messages', ['read:status']],
      [ai.id, messages, 'read:status', ['read:messages']],
    ] as const)
      expect(await read(id, key)).toMatchObject(
        expectedError('INSUFFICIENT_PERMISSIONS', { required_scope, key_scopes: [...key_scopes] }),
      );
  });

  it.each(['evt_01h455vb4pex5vsknk084sn02q', 'evt_nonsense'])('does not find %s', async (id) => {
    expect(await read(id)).toMatchObject(expectedError('RESOURCE_NOT_FOUND', { resource: 'event', id }));
  });

  it('does not find an event of the other environment', async () => {
    const { id } = await posted('message.received');
    expect((await read(id, gateway.liveKey)).status).toBe(404);
  });
});
