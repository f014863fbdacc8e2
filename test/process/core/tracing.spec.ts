import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AnthropicFake } from '../../fakes/anthropic.fake';
import { OtlpFake, type ReceivedSpan } from '../../fakes/otlp.fake';
import { LOCAL_RECEIVERS, ReceiverFake } from '../../fakes/receiver.fake';
import { WhatsAppFake } from '../../fakes/whatsapp.fake';
import { eventually } from '../../support/eventually';
import { sharedPostgres, withClient } from '../../support/postgres';
import { GatewayProcess } from '../../support/process';

const PERSON = '4915112345678';
const QUESTION = 'Where is my parcel?';
const ANSWER = 'It arrives on Friday.';
const NOTICE = 'Your parcel has left.';
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const TRACEPARENT = `00-${TRACE}-00f067aa0ba902b7-01`;
const SECRETS = {
  API_KEY_PEPPER: 'the pepper of the tracing spec',
  SECRETS_KEY: 'the key of secrets of the spec',
  OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20otlp-secret-7',
};
const WEBHOOK_SECRET = 'the secret of the receiver';

/** Names what is loaded of OpenTelemetry's own part of the bundle when it gets SIGUSR2. */
const TELL_LOADED = `process.on('SIGUSR2', () => {
  const loaded = Object.keys(require.cache).map((file) => /bundle.(opentelemetry-tracer)/.exec(file)?.[1]);
  console.log('LOADED ' + JSON.stringify([...new Set(loaded.filter(Boolean))]));
});`;

describe('traces', () => {
  const otlp = new OtlpFake();
  const whatsapp = new WhatsAppFake();
  const anthropic = new AnthropicFake();
  const receiver = new ReceiverFake();
  let folder: string;
  let databaseUrl: string;
  let first: GatewayProcess;
  let second: GatewayProcess;

  const start = (env: NodeJS.ProcessEnv) =>
    GatewayProcess.start({
      anthropic,
      key: first?.key,
      wrap: ([node = '', ...words]) => [node, '--require', join(folder, 'tell-loaded.cjs'), ...words],
      env: { ...SECRETS, ...LOCAL_RECEIVERS, ...whatsapp.env, LOG_LEVEL: 'trace', DATABASE_URL: databaseUrl, ...env },
    });
  const connected = (gateway: GatewayProcess) =>
    eventually('WhatsApp is connected', async () => {
      const { body } = await gateway.api<{ platform: string; status: string }[]>('GET', '/integrations');
      expect(body.data.find(({ platform }) => platform === 'whatsapp')).toMatchObject({ status: 'connected' });
    });
  const loadedBy = async (gateway: GatewayProcess) => {
    gateway.child.kill('SIGUSR2');
    return eventually('it tells what is loaded', () => {
      const [, loaded = ''] = /^LOADED (.*)$/m.exec(gateway.output) ?? [];
      return JSON.parse(loaded) as string[];
    });
  };

  beforeAll(async () => {
    await Promise.all([otlp.start(), whatsapp.start(), anthropic.start(), receiver.start()]);
    anthropic.replyWith(() => ANSWER);
    folder = await mkdtemp(join(tmpdir(), 'gateway-test-tracing-'));
    await writeFile(join(folder, 'tell-loaded.cjs'), TELL_LOADED);
    databaseUrl = await (await sharedPostgres()).createDatabase();
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: otlp.url };
    first = await start(env);
    second = await start(env);
    await Promise.all([connected(first), connected(second)]);
    const webhook = { url: receiver.url('/traces'), events: ['*'], secret: WEBHOOK_SECRET };
    expect((await first.api('POST', '/webhooks', webhook)).status).toBe(201);
  }, 90_000);

  afterAll(async () => {
    await Promise.all([first.kill(), second.kill()]);
    await Promise.all([otlp.stop(), whatsapp.shutDown(), anthropic.stop(), receiver.stop()]);
    await rm(folder, { recursive: true });
  });

  const namesOf = (spans: readonly ReceivedSpan[]) => new Set(spans.map(({ name }) => name));
  const deliveriesOf = (spans: readonly ReceivedSpan[]) =>
    spans.filter(({ name }) => name === 'deliver webhook').map(({ attributes }) => attributes['gateway.event_type']);
  const isOneTree = (spans: readonly ReceivedSpan[], root: string | undefined) => {
    const ids = new Set(spans.map(({ spanId }) => spanId));
    const orphans = spans.filter(({ parentSpanId }) => !parentSpanId || !ids.has(parentSpanId));
    expect(orphans.map(({ name, parentSpanId }) => [name, parentSpanId || undefined])).toEqual([
      [expect.anything(), root],
    ]);
  };

  it('contain every step of a message, although one instance receives it and another its receipt', async () => {
    whatsapp.subscribe(`${first.url}/callbacks/whatsapp`);
    whatsapp.receiveText({ from: PERSON, text: QUESTION });
    const [sent] = await whatsapp.waitForSent(1);
    expect(sent).toMatchObject({ to: PERSON });
    // If the receipt came before the outcome is recorded, the first instance would record both.
    await eventually('the outcome is recorded', () =>
      expect(receiver.posts.map(({ event }) => event.type)).toContain('message.sent'),
    );
    whatsapp.subscribe(`${second.url}/callbacks/whatsapp`);
    whatsapp.notify(whatsapp.statusValue(sent!, 'delivered'));
    const events = ['ai.request', 'ai.response', 'message.delivered', 'message.received', 'message.sent'];
    const steps = [
      'POST /callbacks/:platform',
      'receive whatsapp',
      'reply',
      'load context',
      'chat claude-sonnet-5-5',
      'send whatsapp',
      'receipt whatsapp',
      'deliver webhook',
    ];
    // Each instance exports its own spans: a delivery may arrive before the step that caused it.
    const spans = await eventually('every step and delivery is in the trace', () => {
      const received = otlp.spans.find(({ name }) => name === 'receive whatsapp');
      const all = otlp.of(received?.traceId ?? '');
      expect(new Set(deliveriesOf(all))).toEqual(new Set(events));
      expect(deliveriesOf(all)).toHaveLength(events.length);
      expect(namesOf(all)).toEqual(new Set(steps));
      return all;
    });
    isOneTree(spans, undefined);
    const instanceOf = (name: string) => spans.find((span) => span.name === name)!.resource['service.instance.id'];
    expect(instanceOf('receipt whatsapp')).not.toBe(instanceOf('receive whatsapp'));
    // The receiver can continue the trace.
    const ids = new Map(spans.map(({ traceId, spanId, name }) => [`00-${traceId}-${spanId}-01`, name]));
    const posts = receiver.posts.filter(({ event }) => events.includes(event.type));
    expect(posts.map(({ headers }) => ids.get(String(headers['traceparent'])))).toEqual(
      posts.map(() => 'deliver webhook'),
    );
    expect(otlp.headers[0]).toMatchObject({ authorization: 'Bearer otlp-secret-7' });
  });

  it('continue the traceparent of a send to its deliveries, and drop tracestate and baggage', async () => {
    const send = { platform: 'whatsapp', recipient: PERSON, message: NOTICE };
    const answer = await first.api<{ message_id: string }>('POST', '/messages/send', send, {
      headers: { traceparent: TRACEPARENT, tracestate: 'vendor=other-7', baggage: 'user=other-7' },
    });
    expect(answer.body.data).toMatchObject({ status: 'sent' });
    const spans = await eventually('the delivery is in the trace', () => {
      expect(deliveriesOf(otlp.of(TRACE))).toEqual(['message.sent']);
      const steps = ['POST /api/v1/messages/send', 'send whatsapp', 'deliver webhook'];
      expect(namesOf(otlp.of(TRACE))).toEqual(new Set(steps));
      return otlp.of(TRACE);
    });
    isOneTree(spans, '00f067aa0ba902b7');
    const sending = spans.find(({ name }) => name === 'send whatsapp')!;
    expect(sending.attributes).toMatchObject({ 'gateway.message_id': answer.body.data.message_id });
    const posted = receiver.posts.filter(({ headers }) => String(headers['traceparent']).includes(TRACE));
    expect(posted).toHaveLength(1);
    expect(posted[0]!.headers).not.toHaveProperty('tracestate');
    expect(JSON.stringify([posted[0]!.headers, spans])).not.toContain('other-7');
  });

  it('are logged with ids at each failure, without secrets, keys or texts', async () => {
    const refused = await withClient(databaseUrl, async (client) => {
      await client.query(
        `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'refused'; END $$`,
      );
      await client.query('CREATE TRIGGER refuse BEFORE INSERT ON messages FOR EACH ROW EXECUTE FUNCTION refuse()');
      const send = { platform: 'whatsapp', recipient: PERSON, message: NOTICE };
      const answer = await first.api('POST', '/messages/send', send, { headers: { traceparent: TRACEPARENT } });
      await client.query('DROP TRIGGER refuse ON messages');
      return answer;
    });
    expect(refused.status).toBe(500);
    const line = first.output.split('\n').find((each) => each.includes('"level":"error"'))!;
    const request_id = refused.headers['x-request-id'];
    expect(JSON.parse(line)).toMatchObject({ trace_id: TRACE, request_id });
    const told = [first.output, second.output, JSON.stringify(otlp.spans)];
    const forbidden = [
      QUESTION,
      ANSWER,
      NOTICE,
      PERSON,
      WEBHOOK_SECRET,
      first.key,
      anthropic.apiKey,
      'otlp-secret-7',
      SECRETS.API_KEY_PEPPER,
      SECRETS.SECRETS_KEY,
      whatsapp.account.accessToken,
      whatsapp.account.appSecret,
    ];
    expect(told.every((text) => text.length > 1_000)).toBe(true);
    expect(forbidden.filter((word) => told.some((text) => text.includes(word)))).toEqual([]);
  });

  it('load no OpenTelemetry and write nothing while they are off', async () => {
    expect(await loadedBy(first)).toEqual(['opentelemetry-tracer']);
    const other = await (await sharedPostgres()).createDatabase();
    const off = await start({ DATABASE_URL: other });
    try {
      await connected(off);
      whatsapp.subscribe(`${off.url}/callbacks/whatsapp`);
      whatsapp.receiveText({ from: PERSON, text: QUESTION });
      const headers = { traceparent: TRACEPARENT };
      const send = { platform: 'whatsapp', recipient: PERSON, message: NOTICE };
      expect((await off.api('POST', '/messages/send', send, { headers })).status).toBe(200);
      await withClient(other, async (client) => {
        await eventually('the reply is recorded', async () => {
          const { rows } = await client.query('SELECT FROM messages');
          expect(rows).toHaveLength(3);
        });
        const { rows } = await client.query(`SELECT traceparent FROM messages UNION SELECT traceparent FROM events`);
        expect(rows).toEqual([{ traceparent: null }]);
      });
      expect(await loadedBy(off)).toEqual([]);
    } finally {
      await off.kill();
    }
  }, 60_000);
});
