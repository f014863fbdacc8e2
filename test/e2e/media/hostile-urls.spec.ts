import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LOCAL_RECEIVERS } from '../../fakes/receiver.fake';
import { WhatsAppFake } from '../../fakes/whatsapp.fake';
import { expectAtMost } from '../../hostile/figures';
import { eventually } from '../../support/eventually';
import { startTestGateway, type TestGateway } from '../../support/gateway';
import { png } from '../../support/png';

interface Sent {
  message_id: string;
  status: string;
  error?: { code: string; message: string; templates?: string[] };
}

const BYTES = 100_000;
const SENDS = 12;

/** Each has other bytes. */
const picture = () => png(1, 1, BYTES);

const whatsapp = new WhatsAppFake();
const directory = mkdtempSync(join(tmpdir(), 'gateway-media-'));
let gateway: TestGateway;

/** Answers each request with a new file, after a while. */
const server = createServer((request, response) => {
  asked.push(request.url!);
  open += 1;
  most = Math.max(most, open);
  response.once('close', () => (open -= 1));
  const answer = () => {
    if (request.url === '/broken') response.writeHead(404).end();
    else response.writeHead(200).end(request.url === '/same' ? Buffer.alloc(BYTES, 'a') : picture());
  };
  setTimeout(answer, 20);
});
let asked: string[] = [];
let open = 0;
let most = 0;
let origin: string;

beforeAll(async () => {
  await whatsapp.start();
  gateway = await startTestGateway({ env: { ...LOCAL_RECEIVERS, ...whatsapp.env, MEDIA_DIR: directory } });
});
beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
beforeEach(() => {
  asked = [];
  most = 0;
});
afterAll(async () => {
  await whatsapp.shutDown();
  server.closeAllConnections();
  server.close();
  await rm(directory, { recursive: true });
});

const send = (paths: readonly string[], more: object = {}, key = gateway.testKey) =>
  gateway.api<Sent>(
    'POST',
    '/messages/send',
    { platform: 'telegram', recipient: '7', attachments: paths.map((path) => ({ url: origin + path })), ...more },
    { key },
  );
const left = async () => {
  const [row] = await gateway.sql<{ attachments: number; files: number; bytes: number }>(
    `SELECT (SELECT count(*)::int FROM attachments) AS attachments, (SELECT count(*)::int FROM media_files) AS files,
       (SELECT coalesce(sum(bytes), 0)::int FROM media_usage) AS bytes`,
  );
  return { ...row!, onDisk: await filesOnDisk() };
};
const filesOnDisk = async () => {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile() && !entry.name.endsWith('.id')).length;
};
const NOTHING = { attachments: 0, files: 0, bytes: 0, onDisk: 0 };

describe('Attachments by URL from a hostile client', () => {
  it('are fetched four at a time per key, and removed if the last file of a send fails', async () => {
    const nine = Array.from({ length: 9 }, (_, index) => `/${index}`);
    const answers = await Promise.all(Array.from({ length: SENDS }, () => send([...nine, '/broken'])));
    expect(answers.map(({ body }) => [body.data.status, body.data.error?.code])).toEqual(
      answers.map(() => ['failed', 'attachment_unavailable']),
    );
    expect(asked).toHaveLength(SENDS * 10);
    expectAtMost({ name: 'fetches at once of 12 sends of one key', value: most, unit: 'fetches', most: 4 });
    expect(most).toBe(4);
    const { bytes } = await left();
    expectAtMost({
      name: `bytes left of ${SENDS * 9 * BYTES} that failed sends fetched`,
      value: bytes,
      unit: 'bytes',
      most: 0,
    });
    expect(await left()).toEqual(NOTHING);
  });

  it('are removed if the quota is exceeded, except files that a message has', async () => {
    const kept = await send(['/same']);
    expect(kept.body.data.status).toBe('sent');
    const before = await left();
    const set = (media: object) => gateway.api('PATCH', '/admin/settings', { media }, { key: gateway.testKey });
    await set({ quota_bytes: 3.5 * BYTES });
    const { body } = await send(['/same', '/1', '/1', '/2', '/3']);
    expect(body.error.details).toEqual({ reason: 'the media quota is used up' });
    expect(await left()).toEqual(before);
    await set({ quota_bytes: 1_000_000_000 });
  });

  it('are removed if the message is refused after they were fetched', async () => {
    const before = await left();
    const limit = (billable_messages_per_day: number | null) =>
      gateway.api('PATCH', '/admin/settings', { rate_limits: { billable_messages_per_day } }, { key: gateway.testKey });
    await limit(1);
    const { status, body } = await send(['/1', '/2', '/1'], { platform: 'whatsapp', recipient: '4917212345' });
    expect([status, body.error.code]).toEqual([429, 'RATE_LIMIT_EXCEEDED']);
    expect(asked).toHaveLength(3);
    expect(await left()).toEqual(before);
    await limit(null);
  });

  it('are not fetched outside the WhatsApp window: the send fails with the possible templates', async () => {
    const recipient = '4917212346';
    whatsapp.subscribe(`${gateway.url}/callbacks/whatsapp`);
    await gateway.connected('whatsapp');
    whatsapp.receiveText({ from: recipient, name: 'Ada', text: 'Hello' });
    await eventually('the message is stored', async () =>
      expect(await gateway.sql('SELECT 1 FROM conversations WHERE participant_id = $1', [recipient])).toHaveLength(1),
    );
    await gateway.sql(
      `UPDATE conversations SET last_inbound_at = now() - interval '25 hours' WHERE participant_id = $1`,
      [recipient],
    );
    const { body } = await send(['/1'], { platform: 'whatsapp', recipient }, gateway.liveKey);
    expect(body.data).toMatchObject({ status: 'failed', error: { code: 'window_closed', templates: [] } });
    expect(asked).toEqual([]);
  });
});
