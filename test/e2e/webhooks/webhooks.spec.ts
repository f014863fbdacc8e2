import { Client } from 'pg';
import { signStandardWebhook, signWebhookBody, EVENT_TYPES, type EventPayload } from '#contracts';
import { LOCAL_RECEIVERS, ReceiverFake } from '../../fakes/receiver.fake';
import { eventually } from '../../support/eventually';
import { useGateway } from '../../support/gateway';

const ENV = { ...LOCAL_RECEIVERS, WEBHOOK_RETRY_SCHEDULE: '1,1,1,1,1' };
const SECRET = 'a secret of good length';

interface Webhook {
  id: string;
  url: string;
  events: string[];
  enabled: boolean;
  status: string;
  created_at: string;
  secret?: string;
  recent_deliveries: Delivery[];
}

interface Delivery {
  id: string;
  event_id: string;
  event_type: string;
  attempt: number;
  status: string;
  response_code: number | null;
  response_time_ms: number;
  timestamp: string;
  error: string | null;
  next_retry_at: string | null;
}

describe('webhooks', () => {
  const gateway = useGateway({ env: ENV });
  let receiver: ReceiverFake;
  let paths = 0;

  beforeAll(async () => {
    receiver = await new ReceiverFake().start();
  });

  const made: string[] = [];
  afterEach(async () => {
    await eventually('what this test caused is over, and reaches no webhook of the next', async () => {
      expect(await gateway.sql('SELECT 1 FROM message_tasks')).toEqual([]);
    });
    for (const id of made.splice(0))
      await gateway.api('DELETE', `/webhooks/${id}`, undefined, { key: gateway.testKey });
  });

  /** In the sandbox, at a path of its own. */
  async function register(options: { events?: string[]; secret?: string; key?: string } = {}) {
    const path = `/hook-${++paths}`;
    const { key = gateway.testKey, events = ['message.sent'], secret = SECRET } = options;
    const answer = await gateway.api<Webhook>(
      'POST',
      '/webhooks',
      { url: receiver.url(path), events, secret },
      { key },
    );
    expect(answer.status).toBe(201);
    made.push(answer.body.data.id);
    return { ...answer.body.data, path };
  }

  const test = <Data = unknown>(method: string, path: string, body?: unknown) =>
    gateway.api<Data>(method, path, body, { key: gateway.testKey });

  async function send(recipient = 'ada') {
    const answer = await test<{ message_id: string }>('POST', '/messages/send', {
      platform: 'telegram',
      recipient,
      message: 'Grüße, 世界 🌍',
    });
    expect(answer.status).toBe(200);
    return answer.body.data.message_id;
  }

  const deliveries = async (id: string): Promise<Delivery[]> =>
    (await test<Delivery[]>('GET', `/webhooks/${id}/deliveries`)).body.data;

  describe('registration', () => {
    it('returns 201 with the webhook, without its secret', async () => {
      const { path, ...webhook } = await register({ events: ['message.sent', 'message.failed'] });
      expect(webhook).toEqual({
        id: expect.stringMatching(/^wh_[0-9a-z]{26}$/),
        url: receiver.url(path),
        events: ['message.sent', 'message.failed'],
        accounts: [],
        enabled: true,
        status: 'active',
        created_at: expect.stringMatching(/Z$/),
      });
      const read = await test<Webhook>('GET', `/webhooks/${webhook.id}`);
      expect(read.body.data).toEqual({ ...webhook, recent_deliveries: [] });
      const list = await test<Webhook[]>('GET', '/webhooks');
      expect(list.body.data).toEqual([webhook]);
      expect(list.body.meta.pagination).toEqual({ page: 1, per_page: 20, total: 1, total_pages: 1 });
      const [row] = await gateway.sql<{ secret: Buffer }>('SELECT secret FROM webhooks');
      expect(row!.secret.toString('latin1')).not.toContain(SECRET);
    });

    it('creates a missing secret, and shows it once', async () => {
      const answer = await test<Webhook>('POST', '/webhooks', { url: receiver.url(), events: ['*'] });
      made.push(answer.body.data.id);
      expect(answer.body.data.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
      expect((await test<Webhook>('GET', `/webhooks/${answer.body.data.id}`)).body.data.secret).toBeUndefined();
    });

    it.each([
      ['a scheme other than https and http', { url: 'ftp://example.com' }, 'url'],
      ['credentials in the URL', { url: 'https://user:word@example.com' }, 'url'],
      ['a private address', { url: 'https://10.0.0.1/' }, 'url'],
      ['no URL at all', { url: 'example' }, 'url'],
      ['a URL that is too long', { url: `https://example.com/${'a'.repeat(2_048)}` }, 'url'],
      ['an unknown event type', { events: ['message.sent', 'message.forwarded'] }, 'events[1]'],
      ['an event type that is no text', { events: [7] }, 'events[0]'],
      ['no event type', { events: [] }, 'events'],
      ['no list of event types', { events: 'message.sent' }, 'events'],
      ['more event types than there are', { events: Array(15).fill('message.sent') }, 'events'],
      ['an event type twice', { events: ['message.sent', 'message.sent'] }, 'events'],
      ['the star beside an event type', { events: ['*', 'message.sent'] }, 'events'],
      ['a short secret', { secret: 'fifteen letters' }, 'secret'],
      ['a long secret', { secret: 's'.repeat(257) }, 'secret'],
      ['a secret that is not base64', { secret: 'whsec_not base64 at all!' }, 'secret'],
      ['a secret without its padding', { secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaS' }, 'secret'],
    ])('refuses %s', async (_, fault, parameter) => {
      const answer = await test('POST', '/webhooks', { url: receiver.url(), events: ['*'], secret: SECRET, ...fault });
      expect(answer.status).toBe(400);
      expect(answer.body.error).toMatchObject({ code: 'INVALID_PARAMETER', details: { parameter } });
    });

    it('names each unknown event type, with the value and the reason', async () => {
      const answer = await test('POST', '/webhooks', { url: receiver.url(), events: ['message.sent', 'x.y', '*', 7] });
      const reason = `must be one of ${EVENT_TYPES.join(', ')}, *`;
      expect(answer.body.error.details).toEqual({
        errors: [
          { parameter: 'events[1]', reason, value: 'x.y' },
          { parameter: 'events[3]', reason, value: 7 },
        ],
      });
    });

    it('lists webhooks by status and by date', async () => {
      const { id } = await register();
      await test('PATCH', `/webhooks/${id}`, { enabled: false });
      await register();
      const today = new Date().toISOString().slice(0, 10);
      const ids = async (query: string) => {
        const { body } = await test<Webhook[]>('GET', `/webhooks?${query}`);
        expect(body.meta.pagination.total).toBe(body.data.length);
        return body.data.map((webhook) => webhook.id);
      };
      const [all, disabled] = [await ids(''), await ids('status=disabled')];
      expect(disabled).toEqual([id]);
      expect(await ids('status=active')).toEqual(all.filter((each) => each !== id));
      expect(await ids('status=failed')).toEqual([]);
      expect(await ids(`start_date=${today}&end_date=${today}&status=disabled`)).toEqual([id]);
      expect(await ids('start_date=2100-01-01')).toEqual([]);
      expect(await ids('end_date=2020-01-01')).toEqual([]);
      const wrong = await test('GET', '/webhooks?status=lost&end_date=never');
      expect(wrong.body.error).toMatchObject({ code: 'INVALID_PARAMETER', details: { errors: [{}, {}] } });
    });

    it('accepts a name that does not resolve yet', async () => {
      const answer = await test<Webhook>('POST', '/webhooks', { url: 'https://not-there-yet.invalid/', events: ['*'] });
      expect(answer.status).toBe(201);
      made.push(answer.body.data.id);
    });

    it('needs admin:settings, and separates live from test', async () => {
      const { id } = await register();
      const weak = await gateway.createKey({ environment: 'test', scopes: ['write:messages'] });
      const refused = await gateway.api('GET', '/webhooks', undefined, { key: weak });
      expect(refused.status).toBe(403);
      expect(refused.body.error.details).toMatchObject({ required_scope: 'admin:settings' });
      expect((await gateway.api('GET', `/webhooks/${id}`)).status).toBe(404);
      expect((await gateway.api('DELETE', `/webhooks/${id}`)).status).toBe(404);
      expect((await gateway.api('GET', `/webhooks/${id}/deliveries`)).status).toBe(404);
      expect((await gateway.api('POST', `/webhooks/${id}/test`)).status).toBe(404);
    });

    it('changes and deletes a webhook', async () => {
      const { id } = await register();
      expect((await test('PATCH', `/webhooks/${id}`, {})).body.error.code).toBe('INVALID_REQUEST');
      expect((await test('PATCH', `/webhooks/${id}`, { url: 'https://127.1.1.1.nip/', enabled: 'no' })).status).toBe(
        400,
      );
      const patched = await test<Webhook>('PATCH', `/webhooks/${id}`, { events: ['*'], enabled: false });
      expect(patched.body.data).toMatchObject({ events: ['*'], enabled: false, status: 'disabled' });
      const enabled = await test<Webhook>('PATCH', `/webhooks/${id}`, { enabled: true, url: receiver.url('/moved') });
      expect(enabled.body.data).toMatchObject({ enabled: true, status: 'active', url: receiver.url('/moved') });
      expect((await test('DELETE', `/webhooks/${id}`)).body.data).toEqual({ id, deleted: true });
      expect((await test('GET', `/webhooks/${id}`)).status).toBe(404);
    });

    it('lists the event types with their schemas', async () => {
      const { body } = await test<{ type: string; description: string; schema: object }[]>('GET', '/event-types');
      expect(body.data.map(({ type }) => type)).toEqual(EVENT_TYPES);
      for (const item of body.data)
        expect(item).toMatchObject({ description: expect.any(String), schema: { type: 'object' } });
    });
  });

  describe('delivery', () => {
    it('posts the stored text with both signatures', async () => {
      const { id, path } = await register();
      const messageId = await send();
      const [post] = await receiver.received(1, path);
      const { headers, raw, event } = post!;
      expect(event).toMatchObject({ type: 'message.sent', data: { message_id: messageId, environment: 'test' } });
      const [stored] = await gateway.sql<{ body: string }>(`SELECT body FROM events WHERE body LIKE '%${event.id}%'`);
      expect(raw).toBe(stored!.body);
      expect(headers['x-service-signature']).toBe(signWebhookBody(SECRET, raw));
      expect(headers['x-service-signature-previous']).toBeUndefined();
      expect(headers['x-service-event']).toBe('message.sent');
      expect(headers['content-type']).toContain('application/json');
      const seconds = Number(headers['webhook-timestamp']);
      expect(Math.abs(seconds - Date.now() / 1000)).toBeLessThan(5);
      expect(headers['x-service-timestamp']).toBe(headers['webhook-timestamp']);
      expect(headers['webhook-id']).toBe(event.id);
      expect(headers['webhook-signature']).toBe(signStandardWebhook(SECRET, event.id, seconds, raw));

      const [delivery] = await eventually('the attempt is recorded', async () => {
        const all = await deliveries(id);
        expect(all).toHaveLength(1);
        return all;
      });
      expect(delivery).toEqual({
        id: headers['x-service-delivery'],
        event_id: event.id,
        event_type: 'message.sent',
        attempt: 1,
        status: 'success',
        response_code: 200,
        response_time_ms: expect.any(Number),
        timestamp: expect.stringMatching(/Z$/),
        error: null,
        next_retry_at: null,
      });
      expect((await test<Webhook>('GET', `/webhooks/${id}`)).body.data.recent_deliveries).toEqual([delivery]);
    });

    it('sends only subscribed types, and all of them for `*`', async () => {
      const some = await register({ events: ['message.delivered'] });
      const all = await register({ events: ['*'] });
      await send();
      const types = (posts: { event: EventPayload }[]) => posts.map(({ event }) => event.type).sort();
      expect(types(await receiver.received(2, all.path))).toEqual(['message.delivered', 'message.sent']);
      expect(types(await receiver.received(1, some.path))).toEqual(['message.delivered']);
    });

    it('signs with the new and the old secret for a day after a change', async () => {
      const { id, path } = await register();
      const next = 'another secret, also good';
      await test('PATCH', `/webhooks/${id}`, { secret: next });
      await send();
      const [post] = await receiver.received(1, path);
      const { headers, raw, event } = post!;
      const seconds = Number(headers['webhook-timestamp']);
      expect(headers['x-service-signature']).toBe(signWebhookBody(next, raw));
      expect(headers['x-service-signature-previous']).toBe(signWebhookBody(SECRET, raw));
      expect(String(headers['webhook-signature']).split(' ')).toEqual([
        signStandardWebhook(next, event.id, seconds, raw),
        signStandardWebhook(SECRET, event.id, seconds, raw),
      ]);

      await gateway.sql(`UPDATE webhooks SET previous_secret_until = now() - interval '1 second'`);
      await send();
      const [, later] = await receiver.received(2, path);
      expect(later!.headers['x-service-signature-previous']).toBeUndefined();
      expect(later!.headers['webhook-signature']).not.toContain(' ');
    });

    it('keeps the old secret if the same change is requested twice at once', async () => {
      const { id, path } = await register();
      const other = new Client(gateway.databaseUrl);
      await other.connect();
      try {
        await other.query('BEGIN');
        await other.query('SELECT 1 FROM webhooks FOR UPDATE');
        const change = { secret: 'another secret, also good' };
        const changes = Promise.all([
          test('PATCH', `/webhooks/${id}`, change),
          test('PATCH', `/webhooks/${id}`, change),
        ]);
        await eventually('both have decided what to write, and wait', async () => {
          const waiting = await gateway.sql(`SELECT 1 FROM pg_stat_activity
            WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE 'UPDATE "webhooks"%'`);
          expect(waiting).toHaveLength(2);
        });
        await other.query('ROLLBACK');
        expect((await changes).map(({ status }) => status)).toEqual([200, 200]);
      } finally {
        await other.end();
      }
      await send();
      const [post] = await receiver.received(1, path);
      expect(post!.headers['x-service-signature-previous']).toBe(signWebhookBody(SECRET, post!.raw));
    });

    it('retries after 5xx with the same event, and shows the time', async () => {
      const { id, path } = await register();
      // From the start: the retry may come before anybody looks.
      const codes = [503];
      receiver.react((_, response) => void response.writeHead(codes.shift() ?? 200).end(), path);
      await send();
      const first = await eventually('the failed attempt is recorded', async () => {
        const all = await deliveries(id);
        expect(all).not.toHaveLength(0);
        return all.at(-1);
      });
      expect(first).toMatchObject({
        attempt: 1,
        status: 'failed',
        response_code: 503,
        error: expect.stringContaining('503'),
      });
      const wait = Date.parse(first!.next_retry_at!) - Date.parse(first!.timestamp);
      expect(wait).toBeGreaterThanOrEqual(1_000);
      // Counted from when the attempt was recorded: the answer and the way to the database are in it.
      expect(wait - first!.response_time_ms).toBeLessThan(5_000);

      const posts = await receiver.received(2, path);
      expect(posts[1]!.event).toEqual(posts[0]!.event);
      expect(posts[1]!.at - posts[0]!.at).toBeGreaterThan(900);
      await eventually('the success is recorded', async () => {
        expect((await deliveries(id)).map(({ attempt, status }) => [attempt, status])).toEqual([
          [2, 'success'],
          [1, 'failed'],
        ]);
      });
      expect((await deliveries(id)).map(({ next_retry_at }) => next_retry_at)).toEqual([null, null]);
    });

    it.each([400, 404, 429, 301])('treats %i as permanent for the event, not for the webhook', async (status) => {
      const { id, path } = await register();
      receiver.react(
        (_, response) => void response.writeHead(status, { location: receiver.url('/elsewhere') }).end(),
        path,
      );
      await send();
      await eventually('the attempt is recorded', async () => {
        const [delivery] = await deliveries(id);
        expect(delivery).toMatchObject({ status: 'failed', response_code: status, next_retry_at: null });
      });
      expect((await test<Webhook>('GET', `/webhooks/${id}`)).body.data.status).toBe('active');
      expect(receiver.postsTo('/elsewhere')).toEqual([]);
    });

    it('disables a webhook that answers 410', async () => {
      const { id, path } = await register();
      receiver.react(410, path);
      await send();
      await eventually('it is disabled', async () => {
        expect((await test<Webhook>('GET', `/webhooks/${id}`)).body.data).toMatchObject({
          status: 'disabled',
          enabled: false,
        });
      });
    });
  });

  describe('sent again', () => {
    it('sends a test event at once and returns its delivery, whatever the receiver does', async () => {
      const { id, path } = await register({ events: ['message.sent'] });
      const other = await register({ events: ['*'] });
      const good = await test<Delivery>('POST', `/webhooks/${id}/test`);
      expect(good.status).toBe(200);
      expect(good.body.data).toMatchObject({
        event_type: 'system.health',
        attempt: 1,
        status: 'success',
        response_code: 200,
      });
      expect(receiver.postsTo(path)[0]!.event).toMatchObject({ type: 'system.health', data: { test: true } });
      for (const [reaction, status] of [
        [404, 'active'],
        [500, 'active'],
        [410, 'disabled'],
      ] as const) {
        receiver.react(reaction, path);
        const bad = await test<Delivery>('POST', `/webhooks/${id}/test`);
        expect(bad.status).toBe(200);
        expect(bad.body.data).toMatchObject({ status: 'failed', response_code: reaction, next_retry_at: null });
        expect((await test<Webhook>('GET', `/webhooks/${id}`)).body.data.status).toBe(status);
      }
      expect(receiver.postsTo(other.path).filter(({ event }) => event.type === 'system.health')).toEqual([]);
    });

    it('repeats a test event once on request, and never fails the webhook for it, but disables it on 410', async () => {
      const { id, path } = await register();
      const [{ n: mails } = { n: 0 }] = await gateway.sql<{ n: number }>('SELECT count(*)::int AS n FROM mail_outbox');
      receiver.react(503, path);
      const tried = await test<Delivery>('POST', `/webhooks/${id}/test`);
      const again = await test('POST', `/webhooks/${id}/deliveries/${tried.body.data.id}/redeliver`);
      expect(again.status).toBe(200);
      await eventually('it was tried again', async () => {
        expect((await deliveries(id))[0]).toMatchObject({ attempt: 2, response_code: 503, next_retry_at: null });
      });
      expect((await test<Webhook>('GET', `/webhooks/${id}`)).body.data.status).toBe('active');
      expect(await gateway.sql('SELECT 1 FROM webhook_dispatches WHERE next_at IS NOT NULL')).toEqual([]);
      receiver.react(410, path);
      await test('POST', `/webhooks/${id}/deliveries/${tried.body.data.id}/redeliver`);
      await eventually('and again', async () => expect(await deliveries(id)).toHaveLength(3));
      expect((await test<Webhook>('GET', `/webhooks/${id}`)).body.data.status).toBe('disabled');
      expect(await gateway.sql('SELECT count(*)::int AS n FROM mail_outbox')).toEqual([{ n: mails }]);
    });

    it('redelivers one event with its own id', async () => {
      const { id, path } = await register();
      await send();
      await receiver.received(1, path);
      const [first] = await eventually('it is recorded', async () => {
        const all = await deliveries(id);
        expect(all).toHaveLength(1);
        return all;
      });
      const answer = await test('POST', `/webhooks/${id}/deliveries/${first!.id}/redeliver`);
      expect(answer.body.data).toEqual({
        webhook_id: id,
        event_id: first!.event_id,
        event_type: 'message.sent',
        status: 'pending',
      });
      const posts = await receiver.received(2, path);
      expect(posts[1]!.raw).toBe(posts[0]!.raw);
      await eventually('it is recorded', async () => expect((await deliveries(id))[0]).toMatchObject({ attempt: 2 }));
      const unknown = await test('POST', `/webhooks/${id}/deliveries/del_01h455vb4pex5vsknk084sn02q/redeliver`);
      expect(unknown.status).toBe(404);
    });

    it('replays no event from before the webhook existed', async () => {
      const since = new Date(Date.now() - 3_600_000).toISOString();
      await send();
      const { id, path } = await register();
      const later = await send();
      await receiver.received(1, path);
      await eventually('it is recorded', async () => expect(await deliveries(id)).toHaveLength(1));
      const answer = await test<{ events_queued: number }>('POST', `/webhooks/${id}/replay`, { since });
      expect(answer.body.data.events_queued).toBe(0);
      await gateway.sql(`UPDATE webhook_dispatches SET delivered_at = NULL, lease_until = NULL`);
      const again = await test<{ events_queued: number }>('POST', `/webhooks/${id}/replay`, { since });
      expect(again.body.data.events_queued).toBe(1);
      const posts = await receiver.received(2, path);
      expect(posts.map(({ event }) => (event.data as { message_id: string }).message_id)).toEqual([later, later]);
    });

    it('replays what a disabled webhook missed and a receiver refused, and nothing that was delivered', async () => {
      const { id, path } = await register();
      const since = new Date(Date.now() - 1000).toISOString();
      await gateway.sql(`DELETE FROM events WHERE type = 'message.sent'`);
      const delivered = await send();
      await receiver.received(1, path);
      receiver.react(400, path);
      const refused = await send();
      await receiver.received(2, path);
      await eventually('both are recorded', async () => expect(await deliveries(id)).toHaveLength(2));
      await test('PATCH', `/webhooks/${id}`, { enabled: false });
      expect((await test('POST', `/webhooks/${id}/replay`, { since })).status).toBe(400);
      const missed = await send();
      await test('PATCH', `/webhooks/${id}`, { enabled: true });
      receiver.react(200, path);
      const answer = await test<{ events_queued: number }>('POST', `/webhooks/${id}/replay`, { since });
      expect(answer.body.data).toMatchObject({ webhook_id: id, events_queued: 2 });
      const posts = await receiver.received(4, path);
      const ids = posts.map(({ event }) => (event.data as { message_id: string }).message_id);
      expect(ids.slice(0, 2)).toEqual([delivered, refused]);
      expect(ids.slice(2).sort()).toEqual([refused, missed].sort());
      expect((await test('POST', `/webhooks/${id}/replay`, { since: 'yesterday' })).status).toBe(400);
    });
  });
});
