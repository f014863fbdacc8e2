import { GatewayError, MessagingGateway, type EventStreamOptions, type WebhookEvent } from '../../../libs/client';
import { eventually } from '../../support/eventually';
import { useGateway } from '../../support/gateway';
import { TcpProxy } from '../../support/tcp-proxy';

const gateway = useGateway();
let proxy: TcpProxy;

beforeAll(async () => {
  const limits = { rate_limits: { messages_per_minute: 100_000 } };
  await gateway.api('PATCH', '/admin/settings', limits, { key: gateway.testKey });
});
beforeEach(async () => {
  proxy = await new TcpProxy(gateway.url).open();
});
afterEach(() => proxy.cut());

/** Reads a stream until it is aborted. */
function read(apiKey: string, options: Omit<EventStreamOptions, 'signal'> = {}) {
  const abort = new AbortController();
  const client = new MessagingGateway({ apiKey, baseUrl: proxy.url });
  const events: WebhookEvent[] = [];
  let opened = 0;
  const run = async () => {
    const stream = client.events.stream(
      { types: ['message.*'] },
      { ...options, signal: abort.signal, onOpen: () => (opened += 1) },
    );
    for await (const event of stream) events.push(event);
  };
  const ended = run().catch((error: unknown) => error);
  return {
    events,
    ended,
    get opened() {
      return opened;
    },
    sentIds: () => events.flatMap((event) => (event.type === 'message.sent' ? event.data.message_id : [])),
    abort: async () => {
      abort.abort();
      await ended;
    },
  };
}

const send = async (message: string) => {
  const body = { platform: 'telegram', recipient: '7', message };
  const answer = await gateway.api<{ message_id: string }>('POST', '/messages/send', body, { key: gateway.testKey });
  return answer.body.data.message_id;
};

describe('client.events.stream', () => {
  it('yields typed events, reconnects after a break, and yields each event once', async () => {
    const reasons: unknown[] = [];
    const reader = read(gateway.testKey, { onInterrupted: (reason) => reasons.push(reason) });
    await eventually('the stream is open', () => expect(reader.opened).toBe(1));
    const sent = [await send('before')];
    await eventually('the event is there', () => expect(reader.sentIds()).toEqual(sent));
    await proxy.cut();
    sent.push(await send('during the break'));
    await proxy.open();
    await eventually('what was missed is there', () => expect(reader.sentIds()).toEqual(sent));
    sent.push(await send('after'));
    await eventually('the stream goes on', () => expect(reader.sentIds()).toEqual(sent));
    expect(reader.opened).toBe(2);
    expect(reasons.length).toBeGreaterThanOrEqual(1);
    expect(new Set(reader.events.map(({ id }) => id)).size).toBe(reader.events.length);
    await reader.abort();
  });

  it('misses no event if the connection breaks before the first', async () => {
    const reader = read(gateway.testKey);
    await eventually('the stream is open', () => expect(reader.opened).toBe(1));
    await proxy.cut();
    const id = await send('during the break');
    await proxy.open();
    await eventually('what was missed is there', () => expect(reader.sentIds()).toContain(id));
    await reader.abort();
  });

  it('throws the code with which the gateway ends it', async () => {
    const key = await gateway.createKey({ environment: 'test' });
    const reader = read(key);
    await eventually('the stream is open', () => expect(reader.opened).toBe(1));
    await gateway.sql('UPDATE api_keys SET expires_at = now() WHERE last_four = $1', [key.slice(-4)]);
    await gateway.sql(`SELECT pg_notify('gateway', 'api_keys:')`);
    const error = (await reader.ended) as GatewayError;
    expect(error).toBeInstanceOf(GatewayError);
    expect([error.status, error.code]).toEqual([401, 'API_KEY_EXPIRED']);
  });

  it('throws at once if the key may not have it', async () => {
    const key = await gateway.createKey({ environment: 'test', scopes: ['read:status'] });
    expect(await read(key).ended).toMatchObject({ status: 403, code: 'INSUFFICIENT_PERMISSIONS' });
  });

  it('closes its connection when the loop ends', async () => {
    const client = new MessagingGateway({ apiKey: gateway.testKey, baseUrl: gateway.url });
    const key = await gateway.createKey({ environment: 'test' });
    const own = new MessagingGateway({ apiKey: key, baseUrl: gateway.url });
    for (let index = 0; index < 12; index += 1) {
      const stream = own.events.stream();
      const seen = (async () => {
        for await (const event of stream) return event.type;
        return undefined;
      })();
      // A stream that was just left may still be counted.
      await eventually('a stream is open and brings an event', async () => {
        await client.sandbox.play({ platform: 'telegram', sender: { id: '1' }, content: 'Hello' });
        expect(await Promise.race([seen, Promise.resolve('nothing yet')])).not.toBe('nothing yet');
      });
    }
  });
});
