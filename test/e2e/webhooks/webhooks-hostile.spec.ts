import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { EventData } from '#contracts';
import { DomainEvents } from '../../../src/core/events/domain-events.service';
import { makeCertificates, type Certificate, type Certificates } from '../../fakes/hostile-receiver-certificates';
import * as kinds from '../../fakes/hostile-receiver-kinds';
import { HostileReceiver, type Hostility } from '../../fakes/hostile-receiver.fake';
import { LOCAL_RECEIVERS, ReceiverFake } from '../../fakes/receiver.fake';
import { eventually } from '../../support/eventually';
import { startTestGateway, type TestGateway } from '../../support/gateway';

const TIMEOUT_SECONDS = 2;
/** So long that no attempt of a test is a second one. */
const RETRY_SECONDS = 600;
const ENV = {
  ...LOCAL_RECEIVERS,
  WEBHOOK_TIMEOUT_SECONDS: String(TIMEOUT_SECONDS),
  WEBHOOK_RETRY_SCHEDULE: Array(5).fill(RETRY_SECONDS).join(','),
};

type Outcome = 'delivered' | 'retried' | 'permanent';
/** What a receiver does, what comes of it, the code of its answer, what the error says. */
type Row = [title: string, kind: Hostility, outcome: Outcome, responseCode: number | null, error: RegExp | null];

const { answers, drips } = kinds;
const TIMEOUT = /^Timeout: no complete answer within 2 seconds$/;

/** Those who take all the time they get, with the scheme of their URL. They do so side by side. */
const SLOW: ['http' | 'https', ...Row][] = [
  ['http', 'never answers', kinds.tarpit, 'retried', null, TIMEOUT],
  ['http', 'sends its headers byte by byte', drips('HTTP/1.1 200 OK\r\nX-Slow: '), 'retried', null, TIMEOUT],
  ['http', 'sends its body byte by byte', drips('HTTP/1.1 200 OK\r\n\r\n'), 'delivered', 200, null],
  ['http', 'fails, with a body byte by byte', drips('HTTP/1.1 500 No\r\n\r\n'), 'retried', 500, /answered 500/],
  ['https', 'never ends the handshake', kinds.tarpit, 'retried', null, TIMEOUT],
  ['https', 'answers TLS with HTTP', answers('HTTP/1.1 200 OK\r\n\r\n'), 'retried', null, /^TLS: |Timeout/],
];

const ROWS: Row[] = [
  ['sends a body without end', kinds.endlessBody(), 'delivered', 200, null],
  ['fails, with a body without end', kinds.endlessBody('502 Bad'), 'retried', 502, /answered 502/],
  ['refuses, with a body without end', kinds.endlessBody('400 Bad'), 'permanent', 400, /answered 400/],
  ['sends a gzip bomb', kinds.gzipBomb, 'delivered', 200, null],
  ['sends 100 MB of headers', kinds.endlessHeaders, 'retried', null, /response headers are too large/],
  ['sends a status line of 100 MB', kinds.endlessStatusLine, 'retried', null, /answer is too large/],
  ['sends 103 without end', kinds.interimAnswers, 'retried', null, /answer is too large/],
  ['resets at once', kinds.resetsAtOnce, 'retried', null, /reset|closed/],
  ['resets when it was asked', kinds.resetsWhenAsked, 'retried', null, /reset|closed/],
  ['closes its half at once', kinds.halfCloses, 'retried', null, /closed without a response/],
  ['hangs up when it was asked', answers(''), 'retried', null, /closed without a response/],
  ['breaks off in its status line', answers('HTTP/1.1 2'), 'retried', null, /./],
  ['breaks off in its headers', answers('HTTP/1.1 200 OK\r\nX-Half: '), 'retried', null, /./],
  ['breaks off in its body', answers('HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nha'), 'delivered', 200, null],
  [
    'breaks off in a chunk',
    answers('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n63\r\nha'),
    'delivered',
    200,
    null,
  ],
  [
    'redirects to this machine',
    answers('HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1/\r\n\r\n'),
    'permanent',
    302,
    /redirects are not followed/,
  ],
  [
    'redirects with the method kept',
    answers('HTTP/1.1 308 Gone\r\nLocation: http://127.0.0.1/\r\n\r\n'),
    'permanent',
    308,
    /redirects are not followed/,
  ],
  ['says 100 and no more', answers('HTTP/1.1 100 Continue\r\n\r\n'), 'retried', null, /./],
  [
    'switches protocols',
    answers('HTTP/1.1 101 Switching\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n'),
    'retried',
    null,
    /./,
  ],
  ['says 204 with a body', answers('HTTP/1.1 204 No Content\r\n\r\nsurprise'), 'delivered', 204, null],
  ['says 299', answers('HTTP/1.1 299 Fine\r\n\r\n'), 'delivered', 299, null],
  ['says 304', answers('HTTP/1.1 304 Not Modified\r\n\r\n'), 'permanent', 304, /redirects are not followed/],
  ['says 429', answers('HTTP/1.1 429 Slow\r\nRetry-After: 1\r\n\r\n'), 'permanent', 429, /answered 429/],
  ['says 999', answers('HTTP/1.1 999 Odd\r\n\r\n'), 'retried', 999, /answered 999/],
  ['speaks SSH', answers('SSH-2.0-OpenSSH_9.6\r\n'), 'retried', null, /not HTTP/],
  ['speaks HTTP/0.9', answers('<html>hello</html>'), 'retried', null, /not HTTP/],
  ['speaks HTTP/1.0', answers('HTTP/1.0 200 OK\r\n\r\nhello'), 'delivered', 200, null],
  [
    'has an impossible Content-Length',
    answers('HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n'),
    'retried',
    null,
    /not HTTP/,
  ],
  [
    'has two lengths',
    answers('HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab'),
    'retried',
    null,
    /content-length/,
  ],
  ['has NUL in a header', answers('HTTP/1.1 200 OK\r\nX-Nul: \0\r\n\r\n'), 'retried', null, /not HTTP/],
  ['has NUL in its body', answers('HTTP/1.1 500 No\r\nContent-Length: 3\r\n\r\na\0b'), 'retried', 500, /answered 500/],
];

const SENT: EventData<'message.sent'> = {
  message_id: 'msg_01h455vb4pex5vsknk084sn02q',
  conversation_id: 'conv_01h455vb4pex5vsknk084sn02q',
  platform: 'telegram',
  account: { id: 'acc_01h455vb4pex5vsknk084sn02q', name: 'default' },
  environment: 'test',
  recipient: { id: 'ada', name: null },
  attachments: [],
  content: 'hello',
  ai_model: null,
  tokens: null,
  latency_ms: 1,
};

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** What this process, receivers included, cannot free, in bytes. */
function occupied(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

interface Delivery {
  event_id: string;
  attempt: number;
  status: string;
  response_code: number | null;
  response_time_ms: number;
  error: string | null;
  timestamp: string;
  next_retry_at: string | null;
}

describe('a hostile receiver', () => {
  let gateway: TestGateway;
  let certificates: Certificates;
  let elsewhere: ReceiverFake;
  const trusted = getCACertificates('default');
  const receivers: HostileReceiver[] = [];

  beforeAll(async () => {
    certificates = await makeCertificates();
    setDefaultCACertificates([...trusted, certificates.authority]);
    elsewhere = await new ReceiverFake().start();
    gateway = await startTestGateway({ env: ENV });
  });
  afterEach(async () => {
    await gateway.sql('DELETE FROM webhooks');
    await Promise.all(receivers.splice(0).map((receiver) => receiver.stop()));
  });
  afterAll(async () => {
    setDefaultCACertificates(trusted);
  });

  async function start(hostility: Hostility, tls?: Certificate): Promise<HostileReceiver> {
    const receiver = await new HostileReceiver(hostility, tls).start();
    receivers.push(receiver);
    return receiver;
  }

  async function register(url: string): Promise<string> {
    const answer = await gateway.api<{ id: string }>(
      'POST',
      '/webhooks',
      { url, events: ['message.sent'] },
      { key: gateway.testKey },
    );
    expect(answer.status).toBe(201);
    return answer.body.data.id;
  }

  const send = () =>
    gateway.api(
      'POST',
      '/messages/send',
      { platform: 'discord', recipient: 'ada', message: 'hello' },
      { key: gateway.testKey },
    );

  const deliveries = async (id: string) =>
    (await gateway.api<Delivery[]>('GET', `/webhooks/${id}/deliveries`, undefined, { key: gateway.testKey })).body.data;

  const delivery = (id: string) =>
    eventually('the attempt is recorded', async () => {
      const all = await deliveries(id);
      expect(all).toHaveLength(1);
      return all[0]!;
    });

  async function expectOutcome(id: string, outcome: Outcome, responseCode: number | null, error: RegExp | null) {
    const made = await delivery(id);
    const status = outcome === 'delivered' ? 'success' : 'failed';
    expect(made).toMatchObject({ attempt: 1, status, response_code: responseCode });
    expect(made.error ?? '').toMatch(error ?? /^$/);
    expect(made.next_retry_at !== null).toBe(outcome === 'retried');
    // Whatever the receiver does, it has no more than its time.
    expect(made.response_time_ms).toBeLessThan(TIMEOUT_SECONDS * 1000 + 2_000);
    if (outcome !== 'retried') return;
    const wait = Date.parse(made.next_retry_at!) - Date.parse(made.timestamp) - made.response_time_ms;
    expect(wait).toBeGreaterThan((RETRY_SECONDS - 5) * 1000);
    expect(wait).toBeLessThan((RETRY_SECONDS + 10) * 1000);
  }

  it('that is as slow as allowed, in any way, times out', async () => {
    const ids = new Map<string, string>();
    for (const [scheme, title, kind] of SLOW) ids.set(title, await register((await start(kind)).url(scheme)));
    await send();
    for (const [, title, , ...expected] of SLOW) await expectOutcome(ids.get(title)!, ...expected);
  });

  it.each(ROWS)('that %s is handled', async (_, kind, outcome, responseCode, error) => {
    const receiver = await start(kind);
    const id = await register(receiver.url());
    await send();
    await expectOutcome(id, outcome, responseCode, error);
  });

  it.each<[string, keyof Certificates | undefined, RegExp]>([
    ['signed by itself', 'selfSigned', /^TLS: .*self-signed/],
    ['that has expired', 'expired', /^TLS: .*expired/],
    ['for another name', 'elsewhere', /^TLS: .*altnames/],
  ])('with a certificate %s is refused', async (_, name, error) => {
    const receiver = await start(kinds.answers('HTTP/1.1 200 OK\r\n\r\n'), certificates[name!] as Certificate);
    const id = await register(receiver.url());
    await send();
    await expectOutcome(id, 'retried', null, error);
    expect(receiver.requests).toBe(0);
  });

  it('with a valid certificate is accepted', async () => {
    const receiver = await start(kinds.answers('HTTP/1.1 200 OK\r\n\r\n'), certificates.good);
    const id = await register(receiver.url());
    await send();
    await expectOutcome(id, 'delivered', 200, null);
  });

  it('that closes the connection during TLS is retried', async () => {
    const receiver = await start(kinds.halfCloses);
    const id = await register(receiver.url('https'));
    await send();
    await expectOutcome(id, 'retried', null, /TLS|reset/);
  });

  it('that speaks TLS on an http URL is refused', async () => {
    const receiver = await start(kinds.answers('HTTP/1.1 200 OK\r\n\r\n'), certificates.good);
    const id = await register(receiver.url('http'));
    await send();
    await expectOutcome(id, 'retried', null, /not HTTP|closed|reset/);
  });

  it('in hundreds leaks no memory', async () => {
    const kindsOfMuch = [kinds.endlessBody(), kinds.gzipBomb, kinds.endlessHeaders, kinds.interimAnswers];
    const many = await Promise.all(kindsOfMuch.map((kind) => start(kind)));
    for (const receiver of many) await register(receiver.url());
    const events = gateway.gateway.app.get(DomainEvents);
    const round = async (count: number) => {
      const [before] = await gateway.sql<{ n: number }>('SELECT count(*)::int AS n FROM webhook_deliveries');
      await events.record(...Array.from({ length: count }, () => events.create('message.sent', SENT)));
      const allRecorded = async () => {
        const [after] = await gateway.sql<{ n: number }>('SELECT count(*)::int AS n FROM webhook_deliveries');
        expect(after!.n - before!.n).toBe(count * many.length);
      };
      // A receiver that fails has four places, and on a slow machine each attempt takes all its time.
      await eventually('all attempts are recorded', allRecorded, { timeoutMs: 50_000 });
    };
    await round(20);
    const before = occupied();
    await round(60);
    await eventually('what they held is free again', () => expect(occupied() - before).toBeLessThan(10_000_000));
    await eventually('no connection is kept', () => expect(many.map(({ open }) => open)).toEqual([0, 0, 0, 0]));
    // With what the buffers of both sides of a connection hold.
    for (const { written, connections } of many) expect(written / connections).toBeLessThan(8_000_000);
  }, 150_000);

  it('that redirects to this machine is not followed', async () => {
    const target = elsewhere.url('/private');
    const receiver = await start(kinds.answers(`HTTP/1.1 307 Temporary\r\nLocation: ${target}\r\n\r\n`));
    const id = await register(receiver.url());
    await send();
    await expectOutcome(id, 'permanent', 307, /redirects are not followed/);
    expect(elsewhere.postsTo('/private')).toEqual([]);
  });

  it('that answers early, or twice, does not affect another delivery', async () => {
    const early = await start(kinds.answersEarly('200 OK'));
    const twice = await start(kinds.answersTwice);
    const ids = [await register(early.url()), await register(twice.url())];
    for (const count of [1, 2]) {
      await send();
      await eventually('both are recorded', async () => {
        for (const id of ids) expect(await deliveries(id)).toHaveLength(count);
      });
    }
    // An answer counts for the request that it follows: there was one, or there was none.
    for (const { response_code } of await deliveries(ids[1]!)) expect(response_code).toBe(503);
    for (const { status, response_code } of await deliveries(ids[0]!)) {
      expect([status, response_code]).toEqual(response_code === null ? ['failed', null] : ['success', 200]);
    }
  });

  it('that closes a kept connection is retried, and loses nothing', async () => {
    const receiver = await start(kinds.hangsUpLater);
    const id = await register(receiver.url());
    for (const count of [1, 2]) {
      await send();
      await eventually('it is recorded', async () => expect(await deliveries(id)).toHaveLength(count));
    }
    // The second may have met the connection of the first: it has an answer, or another attempt to come.
    const failed = (await deliveries(id)).filter(({ status }) => status === 'failed');
    expect(failed.filter(({ next_retry_at }) => next_retry_at === null)).toEqual([]);
    await gateway.sql('UPDATE webhook_dispatches SET next_at = now() WHERE next_at IS NOT NULL');
    await eventually('both events are delivered', async () => {
      const successes = (await deliveries(id)).filter(({ status }) => status === 'success');
      expect(new Set(successes.map(({ event_id }) => event_id)).size).toBe(2);
    });
    expect(receiver.requests).toBeLessThanOrEqual(3);
  });
});
