import { EVENT_TYPES, newUuid, toPublicId, fromPublicId, type Environment } from '#contracts';
import { DomainEvents } from '../../../src/core/events/domain-events.service';
import { LiveStreams } from '../../../src/live/live-streams.service';
import { EventSourceClient } from '../../support/event-source';
import { eventually } from '../../support/eventually';
import { anId } from '../../support/expected';
import { startTestGateway, useGateway } from '../../support/gateway';

const MESSAGE_EVENTS = ['message.sent', 'message.delivered'];

const gateway = useGateway();
/** Open from the start to the end: the pings of the whole file come to it. */
let idle: EventSourceClient;
let openedAt: number;
const clients: EventSourceClient[] = [];

beforeAll(async () => {
  openedAt = performance.now();
  idle = await EventSourceClient.open(gateway.url, gateway.testKey, '/events/stream?types=backup.*');
  const limits = { rate_limits: { messages_per_minute: 100_000 } };
  await gateway.api('PATCH', '/admin/settings', limits, { key: gateway.testKey });
});
afterEach(() => {
  for (const client of clients.splice(0)) client.close();
});
afterAll(() => idle.close());

async function open(
  key = gateway.testKey,
  path?: string,
  headers?: Record<string, string>,
): Promise<EventSourceClient> {
  const client = await EventSourceClient.open(gateway.url, key, path, headers);
  clients.push(client);
  return client;
}

const send = (message = 'Hello', key = gateway.testKey) =>
  gateway.api<{ message_id: string }>(
    'POST',
    '/messages/send',
    { platform: 'telegram', recipient: '7', message },
    { key },
  );

/** Sends a message, and resolves when the stream has its events. */
async function sendAndSee(client: EventSourceClient, message?: string): Promise<string> {
  const { body } = await send(message);
  const { message_id } = body.data;
  await eventually('the events of the message are there', () => {
    const own = client.events.filter(({ data }) => data.includes(message_id));
    expect(own.map(({ event }) => event)).toEqual(MESSAGE_EVENTS);
  });
  return message_id;
}

/** Stores an event without a word to the instance, as one that died before it announced it. */
async function storeQuietly(type: string, createdAt: Date, environment: Environment = 'test'): Promise<string> {
  const id = newUuid(createdAt.getTime());
  const publicId = toPublicId('event', id);
  const body = JSON.stringify({ id: publicId, type, created_at: createdAt.toISOString(), data: { environment } });
  await gateway.sql('INSERT INTO events (id, environment, type, body, created_at) VALUES ($1, $2, $3, $4, $5)', [
    id,
    environment,
    type,
    body,
    createdAt,
  ]);
  return publicId;
}

describe('GET /events/stream', () => {
  it('streams each event once, with its id, its type and the JSON of webhooks', async () => {
    const client = await open();
    expect(client.status).toBe(200);
    expect(client.response.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
    });
    await sendAndSee(client);
    expect(client.ids).toEqual([anId('event'), anId('event')]);
    const rows = await gateway.sql<{ id: string; type: string; body: string }>(
      'SELECT id, type, body FROM events WHERE id = ANY($1) ORDER BY created_at, id',
      [client.ids.map((id) => fromPublicId('event', id))],
    );
    expect(client.events).toEqual(
      rows.map(({ id, type, body }) => ({ id: toPublicId('event', id), event: type, data: body })),
    );
  });

  it("streams only events of the key's environment", async () => {
    const live = await open(gateway.liveKey);
    const test = await open();
    await sendAndSee(test);
    expect(live.events).toEqual([]);
  });

  it('streams only the named types, families included', async () => {
    const delivered = await open(undefined, '/events/stream?types=message.delivered,system.*');
    const all = await open(undefined, '/events/stream?types=message.*');
    const ai = await open(undefined, '/events/stream?types=ai.*');
    await sendAndSee(all);
    await eventually('the event is there', () => expect(delivered.types).toEqual(['message.delivered']));
    expect(all.types).toEqual(MESSAGE_EVENTS);
    expect(ai.types).toEqual([]);
  });

  it('has a family for each kind of event', async () => {
    const families = new Set(EVENT_TYPES.map((type) => `${type.split('.')[0]}.*`));
    for (const family of families) expect((await open(undefined, `/events/stream?types=${family}`)).status).toBe(200);
  });

  it.each(['message', 'message.', '*', 'message.*,', 'message.*, ai.*', 'unknown.*', 'message.unknown', ''])(
    'refuses the types %j',
    async (types) => {
      const client = await open(undefined, `/events/stream?types=${encodeURIComponent(types)}`);
      const { error } = await client.refusal();
      expect([client.status, error.code, error.details['parameter']]).toEqual([400, 'INVALID_PARAMETER', 'types']);
    },
  );

  it('shows only what the scopes of the key allow, and refuses other types', async () => {
    const messages = await gateway.createKey({ environment: 'test', scopes: ['read:messages'] });
    const status = await gateway.createKey({ environment: 'test', scopes: ['read:status'] });
    const neither = await gateway.createKey({ environment: 'test', scopes: ['write:messages'] });
    const refusal = async (key: string, types?: string) => {
      const client = await open(key, `/events/stream${types ? `?types=${types}` : ''}`);
      const { error } = await client.refusal();
      return [client.status, error.code, error.details['required_scope']];
    };
    expect(await refusal(messages, 'message.sent,ai.error')).toEqual([403, 'INSUFFICIENT_PERMISSIONS', 'read:status']);
    expect(await refusal(status, 'message.*')).toEqual([403, 'INSUFFICIENT_PERMISSIONS', 'read:messages']);
    expect((await refusal(neither))[1]).toBe('INSUFFICIENT_PERMISSIONS');
    const ofStatus = await open(status);
    const ofMessages = await open(messages);
    await sendAndSee(ofMessages);
    expect(ofStatus.events).toEqual([]);
  });

  it('counts as one request, and is refused without a key', async () => {
    const key = await gateway.createKey({ environment: 'test', requestsPerMinute: 2 });
    const { headers } = (await open(key)).response;
    expect(headers).toMatchObject({ 'x-ratelimit-limit': '2', 'x-ratelimit-remaining': '1' });
    expect((await open(`${key}x`)).status).toBe(401);
  });

  it('allows a key ten streams, and frees the slot of one that closed', async () => {
    const key = await gateway.createKey({ environment: 'test' });
    const streams = [];
    for (let index = 0; index < 10; index += 1) streams.push(await open(key));
    const refused = await open(key);
    expect([refused.status, (await refused.refusal()).error]).toMatchObject([
      429,
      { code: 'RATE_LIMIT_EXCEEDED', details: { limit: 10 } },
    ]);
    expect(Number(refused.response.headers['retry-after'])).toBeGreaterThan(0);
    expect((await open()).status).toBe(200);
    streams[3]!.close();
    await eventually('there is room for another', async () => expect((await open(key)).status).toBe(200));
  });

  it('sends events in batches, at most every 50 ms', async () => {
    const client = await open();
    await Promise.all(Array.from({ length: 60 }, (_, index) => send(`Message ${index}`)));
    await eventually('all are there', () => expect(client.events).toHaveLength(120));
    const [, ...arrivals] = client.arrivals;
    const span = arrivals.at(-1)! - arrivals[0]!;
    // One more at each end; a turn may come to the client in two pieces.
    expect(new Set(arrivals.map((at) => Math.round((at - arrivals[0]!) / 25))).size).toBeLessThanOrEqual(span / 40 + 2);
    expect(new Set(client.ids).size).toBe(120);
  });

  it('includes events that no instance announced', async () => {
    const client = await open();
    const lost = await storeQuietly('ai.error', new Date());
    await eventually('it is there', () => expect(client.ids).toContain(lost));
    await sendAndSee(client);
    expect(client.ids.filter((id) => id === lost)).toEqual([lost]);
  });

  it('omits the test event of a webhook', async () => {
    const client = await open();
    const test = { id: newUuid(), type: 'system.health', data: { environment: 'test', status: 'healthy', test: true } };
    await gateway.sql(
      `INSERT INTO events (id, environment, type, body, created_at) VALUES ($1, 'test', 'system.health', $2, now())`,
      [test.id, JSON.stringify(test)],
    );
    const later = await storeQuietly('ai.error', new Date());
    await eventually('the later event is there', () => expect(client.ids).toContain(later));
    expect(client.ids).not.toContain(toPublicId('event', test.id));
  });
});

describe('A resumed event stream', () => {
  it.each(['header', 'query'])(
    'repeats what came after the event in the %s, and up to 60 s before it',
    async (place) => {
      const first = await open();
      await sendAndSee(first, 'seen');
      const old = await storeQuietly('ai.error', new Date(Date.now() - 90_000));
      const lateCommit = await storeQuietly('ai.error', new Date(Date.now() - 30_000));
      const last = first.ids.at(-1)!;
      first.close();
      const { body } = await send('missed');
      const again = await (place === 'header'
        ? open(undefined, undefined, { 'last-event-id': last })
        : open(undefined, `/events/stream?last_event_id=${last}`));
      await eventually('what was missed is there', () => {
        const missed = again.events.filter(({ data }) => data.includes(body.data.message_id));
        expect(missed.map(({ event }) => event)).toEqual(MESSAGE_EVENTS);
      });
      expect(again.ids).toContain(lateCommit);
      expect(again.ids).not.toContain(old);
      expect(again.ids).not.toContain(last);
      await sendAndSee(again, 'new');
      expect(new Set(again.ids).size).toBe(again.ids.length);
    },
  );

  it('prefers the header to the query', async () => {
    const first = await open();
    await sendAndSee(first);
    const again = await open(undefined, `/events/stream?last_event_id=evt_unknown`, { 'last-event-id': first.ids[0]! });
    expect(again.status).toBe(200);
  });

  it('starts with the id of the newest event, from which a new client can resume', async () => {
    const first = await open();
    await sendAndSee(first);
    const second = await open();
    expect(second.response.headers['last-event-id']).toBe(first.ids.at(-1));
  });

  it('refuses an id that was deleted, is malformed, or is of the other environment', async () => {
    const ofLive = await storeQuietly('ai.error', new Date(), 'live');
    for (const id of [toPublicId('event', newUuid()), 'evt_1', 'x', ofLive]) {
      const byQuery = await open(undefined, `/events/stream?last_event_id=${id}`);
      expect([byQuery.status, (await byQuery.refusal()).error]).toMatchObject([
        400,
        { code: 'INVALID_PARAMETER', details: { parameter: 'last_event_id' } },
      ]);
      const byHeader = await open(undefined, undefined, { 'last-event-id': id });
      expect([byHeader.status, (await byHeader.refusal()).error.code]).toEqual([400, 'INVALID_PARAMETER']);
    }
  });

  it('misses nothing while events arrive', async () => {
    const first = await open();
    await sendAndSee(first, 'the last that was seen');
    const last = first.ids.at(-1)!;
    first.close();
    const sends = Promise.all(Array.from({ length: 150 }, (_, index) => send(`Message ${index}`)));
    const again = await open(undefined, undefined, { 'last-event-id': last });
    const ids = (await sends).map(({ body }) => body.data.message_id);
    await eventually('all events are there', () => {
      const deliveredIds = again.events
        .filter(({ event }) => event === 'message.delivered')
        .map(({ data }) => (JSON.parse(data) as { data: { message_id: string } }).data.message_id);
      expect(deliveredIds).toEqual(expect.arrayContaining(ids));
    });
  });
});

describe('An event stream ends', () => {
  const expectEnd = async (client: EventSourceClient, code: string) => {
    const { isOver, events } = await eventually(
      'the stream is over',
      () => {
        expect(client.isOver).toBe(true);
        return client;
      },
      { timeoutMs: 1_500 },
    );
    expect([isOver, events.at(-1)]).toMatchObject([true, { event: 'end', data: JSON.stringify({ code }) }]);
  };
  const keyId = async (key: string) => {
    const [row] = await gateway.sql<{ id: string }>('SELECT id FROM api_keys WHERE last_four = $1', [key.slice(-4)]);
    return toPublicId('api_key', row!.id);
  };

  it('within a second when its key is revoked', async () => {
    const key = await gateway.createKey({ environment: 'test' });
    const client = await open(key);
    await gateway.api('DELETE', `/admin/api-keys/${await keyId(key)}`);
    await expectEnd(client, 'INVALID_API_KEY');
  });

  it('within a second when its key expires', async () => {
    const key = await gateway.createKey({ environment: 'test', expiresAt: new Date(Date.now() + 700) });
    await expectEnd(await open(key), 'API_KEY_EXPIRED');
  });

  it("within a second when its client's address is removed from the key", async () => {
    const key = await gateway.createKey({ environment: 'test' });
    const client = await open(key);
    await gateway.api('PATCH', `/admin/api-keys/${await keyId(key)}`, { allowed_ips: ['203.0.113.9'] });
    await expectEnd(client, 'IP_NOT_ALLOWED');
  });

  it('when its client leaves more than 256 KiB unread, without affecting other streams', async () => {
    const reader = await open();
    const lazy = await open();
    lazy.response.pause();
    const events = gateway.app.get(DomainEvents);
    const content = 'x'.repeat(60_000);
    const data = { environment: 'test', message_id: 'm', conversation_id: 'c', platform: 'telegram', content } as never;
    // More than the buffers of both sockets take.
    const most = 400;
    // Together less than may be unread.
    const atOnce = 3;
    const streams = gateway.app.get(LiveStreams);
    const isCut = () => streams['open'].size < before;
    const before = streams['open'].size;
    let count = 0;
    for (; count < most && !isCut(); count += atOnce) {
      for (let index = 0; index < atOnce; index += 1) await events.record(events.create('message.received', data));
      // Slowly enough for the one that reads.
      await eventually('the other has them', () => expect(reader.events).toHaveLength(count + atOnce), { everyMs: 1 });
    }
    // A socket that is not read does not tell that it was closed.
    lazy.response.resume();
    await eventually('the stream is cut', () => expect(lazy.isOver).toBe(true));
    expect(lazy.events.length).toBeLessThan(count);
  }, 40_000);

  it('with a hint to reconnect when the instance stops', async () => {
    const stopping = await startTestGateway();
    const client = await EventSourceClient.open(stopping.url, stopping.testKey);
    const startedAt = performance.now();
    await stopping.stop();
    expect(performance.now() - startedAt).toBeLessThan(3_000);
    expect([client.isOver, client.retries]).toEqual([true, [1_000]]);
  });
});

// Last, so that the time of the others counts.
describe('An event stream without events', () => {
  it('gets a ping every 15 seconds', async () => {
    const pings = await eventually(
      'a ping came',
      () => {
        const came = idle.comments.filter(({ text }) => text === 'ping').map(({ at }) => at);
        expect(came.length).toBeGreaterThan(0);
        return came;
      },
      { timeoutMs: 16_000 },
    );
    const pauses = pings.map((at, index) => at - (pings[index - 1] ?? openedAt));
    // The time begins with the gateway, some moments before the stream.
    expect(Math.min(...pauses)).toBeGreaterThan(11_000);
    expect(Math.max(...pauses)).toBeLessThan(25_000);
  }, 20_000);
});
