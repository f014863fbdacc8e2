import * as fc from 'fast-check';
import { once } from 'node:events';
import { Pool } from 'undici';
import { TelegramFake } from '../../fakes/telegram.fake';
import { WhatsAppFake } from '../../fakes/whatsapp.fake';
import { GatewayProcess } from '../../support/process';
import { RawClient } from '../../support/raw-client';

/** The same each time, so that a change is judged by itself; `FUZZ_SEED` looks elsewhere. */
const SEED = Number(process.env['FUZZ_SEED'] ?? 20_260_101);
const UPLOADS = 1_000;
const CALLBACKS = 500;
const STREAMS = 100;
/** A key may upload four files at a time; those whose clients have left count for a moment. */
const AT_ONCE = 2;
const SECRET = 'a-secret';

jest.setTimeout(240_000);

const sample = <T>(arbitrary: fc.Arbitrary<T>, numRuns: number) => fc.sample(arbitrary, { numRuns, seed: SEED });

const DISPOSITIONS = [
  'form-data; name="file"; filename="a.bin"',
  'form-data; name="file"',
  'form-data; filename="a.bin"',
  'form-data',
  'form-data; name; filename',
  'form-data; name=; filename=',
  `form-data; name="${'n'.repeat(300)}"`,
  "form-data; name*=UTF-8''%E2%82; filename*=nonsense'x'%FF%00",
  'form-data; filename="a\nb"',
  'form-data; name="file"; filename="\\',
  'attachment; filename="a.bin"',
  '',
];
const HEADERS = [
  ...DISPOSITIONS.map((disposition) => `Content-Disposition: ${disposition}`),
  'Content-Type: text/plain; charset',
  'Content-Type: text/plain; charset=nonsense',
  'Content-Type: application/octet-stream',
  'Content-Type:',
  'Content-Transfer-Encoding: base64',
  ': no name',
  'no colon',
  ' folded',
  `X-Long: ${'x'.repeat(20_000)}`,
  '\u0000\u00ff',
];
/** Lines of multipart bodies, in an order that is often wrong. */
const body = fc
  .array(
    fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom('--x', '--x', '--x--', '--x--', '--', '--x-', '--y') },
      { weight: 5, arbitrary: fc.constantFrom(...HEADERS) },
      { weight: 4, arbitrary: fc.constantFrom('', '', 'content', '\r', '\n', 'x'.repeat(70_000)) },
    ),
    { maxLength: 14 },
  )
  .map((lines) => lines.join('\r\n'));
/** Bodies that begin as they should: a part, and whatever follows it. */
const begun = fc
  .tuple(
    fc.oneof(fc.constant(DISPOSITIONS[0]!), fc.constantFrom(...DISPOSITIONS)),
    fc.constantFrom('content', '', 'x'.repeat(100_000)),
    fc.oneof(fc.constant('--x--\r\n'), body),
  )
  .map(([disposition, content, rest]) =>
    ['--x', `Content-Disposition: ${disposition}`, '', content, rest].join('\r\n'),
  );
const TYPES = ['multipart/form-data; boundary=x', 'multipart/form-data; boundary="x"; charset', 'multipart/form-data'];
const upload = fc.record({
  type: fc.oneof(
    { weight: 12, arbitrary: fc.constant(TYPES[0]!) },
    { weight: 1, arbitrary: fc.constantFrom(...TYPES, 'multipart/form-data; boundary=', 'multipart/mixed') },
  ),
  text: fc.oneof(body, begun),
  /** How many bytes of the announced ones come, before the client leaves. */
  left: fc.oneof({ weight: 4, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: fc.nat({ max: 2_000 }) }),
});

const KNOWN_FIELDS =
  'object entry changes value messages statuses metadata contacts field id update_id message chat from text type document ' +
  'file_id photo timestamp errors callback_query edited_message entities offset length __proto__ reaction';
/** Values at places of an update where a platform sends others. */
const anything = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5, depthSize: 'small' },
    fc.constantFrom(null, 0, -1, 2 ** 40, '', 'text', '\u0000\ud800', true, [], {}),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...KNOWN_FIELDS.split(' ')), tie('value'), { maxKeys: 6 }),
  ),
})).value;
const change = fc.record(
  {
    metadata: fc.oneof(fc.constant({ phone_number_id: 'PHONE' }), anything),
    contacts: fc.array(anything, { maxLength: 2 }),
    messages: fc.array(anything, { maxLength: 3 }),
    statuses: fc.array(anything, { maxLength: 2 }),
  },
  { requiredKeys: [] },
);
const whatsAppBody = fc.oneof(
  anything,
  fc.record({
    object: fc.constant('whatsapp_business_account'),
    entry: fc.array(
      fc.record({ id: anything, changes: fc.array(fc.record({ field: fc.constant('messages'), value: change })) }),
      { maxLength: 2 },
    ),
  }),
);
const telegramBody = fc.oneof(
  anything,
  fc.record({ update_id: fc.nat(), message: fc.record({ message_id: fc.nat(), chat: anything, from: anything }) }),
);

describe('a stream of malformed requests', () => {
  const telegram = new TelegramFake();
  const whatsapp = new WhatsAppFake();
  let gateway: GatewayProcess;
  let pool: Pool;
  let headers: Record<string, string>;

  beforeAll(async () => {
    await Promise.all([telegram.start(), whatsapp.start()]);
    gateway = await GatewayProcess.start({
      telegram,
      env: {
        ...whatsapp.env,
        TELEGRAM_WEBHOOK_URL: 'https://127.0.0.1:9/callbacks/telegram',
        TELEGRAM_WEBHOOK_SECRET: SECRET,
        MAX_CONNECTIONS_PER_ADDRESS: '1000',
      },
    });
    const { body: created } = await gateway.api<{ key: string }>('POST', '/admin/api-keys', {
      name: 'fuzz',
      environment: 'test',
      scopes: ['*'],
      rate_limit: { requests_per_minute: 1_000_000, requests_per_hour: 1_000_000 },
    });
    headers = { authorization: `Bearer ${created.data.key}` };
    pool = new Pool(gateway.url, { connections: AT_ONCE });
  });
  afterAll(async () => {
    await pool.destroy();
    await Promise.all([telegram.stop(), whatsapp.stop()]);
  });

  /** Does a task for each item, a few at a time. The first fault of the gateway ends it. */
  async function forEach<T>(items: readonly T[], task: (item: T) => Promise<unknown>): Promise<void> {
    const rest = [...items];
    const worker = async () => {
      for (let item = rest.pop(); item !== undefined; item = rest.pop()) await task(item);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
  }

  const post = async (path: string, type: string, text: string | Buffer, more: Record<string, string>) => {
    const sent = { 'content-type': type, ...more };
    const answer = await pool.request({ method: 'POST', path, headers: sent, body: text });
    await answer.body.dump();
    return answer.statusCode;
  };

  const isTheSame = async () => {
    expect([gateway.child.exitCode, gateway.child.signalCode]).toEqual([null, null]);
    expect((await fetch(`${gateway.url}/health/live`)).status).toBe(200);
    expect(gateway.output).not.toMatch(/unexpected error/i);
  };

  it(`of ${UPLOADS} uploads does not end the process, and causes no internal error`, async () => {
    const statuses = new Map<number, number>();
    await forEach(sample(upload, UPLOADS), async ({ type, text, left }) => {
      if (left !== null) {
        const client = new RawClient(gateway.url).write(
          'POST /api/v1/media HTTP/1.1',
          'Host: gateway',
          `Authorization: ${headers['authorization']}`,
          `Content-Type: ${type}`,
          `Content-Length: ${Buffer.byteLength(text) + 1_000}`,
          '',
          text.slice(0, left),
        );
        await once(client.socket, 'connect');
        client.socket.destroySoon();
        return;
      }
      const status = await post('/api/v1/media', type, Buffer.from(text, 'latin1'), headers);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    });
    await isTheSame();
    process.stdout.write(`  uploads by status: ${JSON.stringify(Object.fromEntries(statuses))}\n`);
    expect([...statuses.keys()].sort((one, other) => one - other)).toEqual([201, 400]);
  });

  it(`of ${CALLBACKS} callbacks does not end the process`, async () => {
    const { phoneNumberId } = whatsapp.account;
    await forEach(sample(whatsAppBody, CALLBACKS / 2), async (value) => {
      const text = (JSON.stringify(value) ?? '').replaceAll('PHONE', phoneNumberId);
      await post('/callbacks/whatsapp', 'application/json', text, { 'x-hub-signature-256': whatsapp.sign(text) });
    });
    await forEach(sample(telegramBody, CALLBACKS / 2), async (value) => {
      const text = JSON.stringify(value) ?? '';
      await post('/callbacks/telegram', 'application/json', text, { 'x-telegram-bot-api-secret-token': SECRET });
    });
    await isTheSame();
  });

  it(`of ${STREAMS} event streams, whose clients disconnect at once, does not end the process`, async () => {
    const queries = ['', '?types=message.received', '?types=', '?types=x&types=y', '?last_event_id=x', '?%ff=%00'];
    const stream = fc.record({
      query: fc.constantFrom(...queries),
      last: fc.constantFrom('', 'evt_01h455vb4pex5vsknk084sn02q', 'x', '\u00ff'),
      /** Bytes that the client reads before it leaves. */
      reads: fc.boolean(),
    });
    await forEach(sample(stream, STREAMS), async ({ query, last, reads }) => {
      const client = new RawClient(gateway.url, { reads }).write(
        `GET /api/v1/events/stream${query} HTTP/1.1`,
        'Host: gateway',
        `Authorization: ${headers['authorization']}`,
        'Accept: text/event-stream',
        `Last-Event-ID: ${last}`,
        '',
        '',
      );
      await once(client.socket, reads ? 'data' : 'connect');
      client.socket.resetAndDestroy();
    });
    await isTheSame();
  });
});
