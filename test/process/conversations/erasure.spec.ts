import { mkdtemp, readdir, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { zstdDecompress } from 'node:zlib';
import { Redis } from 'ioredis';
import type { ConversationDto } from '../../../src/conversations/dto/conversation.dto';
import type { MessageDto } from '../../../src/messages/dto/message.dto';
import { AnthropicFake } from '../../fakes/anthropic.fake';
import { LOCAL_RECEIVERS, ReceiverFake } from '../../fakes/receiver.fake';
import { SmtpFake } from '../../fakes/smtp.fake';
import { TelegramFake } from '../../fakes/telegram.fake';
import { eventually } from '../../support/eventually';
import { png } from '../../support/png';
import { sharedPostgres, withClient } from '../../support/postgres';
import { GatewayProcess } from '../../support/process';
import { redisOnPath, startRedis, type TestRedis } from '../../support/redis';

const CHAT = 491_720_055_501;
/** Bytes that were stored within the last 30 s go after them. */
const ERASED = { timeoutMs: 90_000, everyMs: 250 };
/** Names, ids and texts of the person and the assistant. */
const SECRETS = {
  id: String(CHAT),
  name: 'Zerlina Quibblewick',
  username: 'zerlina_qbw',
  question: 'the violet umbrella of my grandmother',
  caption: 'a photo of the umbrella stand',
  file: 'umbrella-bytes-8c1f',
  answer: 'Your umbrella waits at counter twelve',
  client: 'Parcel 77 for Quibblewick is ready',
  later: 'A reminder that never goes out',
  note: 'she prefers to be called after six',
};

const describeWithRedis = redisOnPath() ? describe : describe.skip;

describeWithRedis('after an erasure', () => {
  let redis: TestRedis;
  let telegram: TelegramFake;
  let anthropic: AnthropicFake;
  let receiver: ReceiverFake;
  let smtp: SmtpFake;
  let gateway: GatewayProcess;
  let databaseUrl: string;
  let backups: string;

  beforeAll(async () => {
    redis = (await startRedis())!;
    telegram = await new TelegramFake().start();
    anthropic = await new AnthropicFake().start();
    receiver = await new ReceiverFake().start();
    smtp = await new SmtpFake().start();
    anthropic.replyWith(() => SECRETS.answer);
    // A receiver that echoes the request body.
    receiver.react((_request, response, { raw }) => response.writeHead(200, { 'x-echo': 'yes' }).end(raw));
    databaseUrl = await (await sharedPostgres()).createDatabase();
    backups = await mkdtemp(join(tmpdir(), 'gateway-erasure-'));
    gateway = await GatewayProcess.start({
      telegram,
      anthropic,
      env: {
        ...LOCAL_RECEIVERS,
        DATABASE_URL: databaseUrl,
        REDIS_URL: redis.url,
        SMTP_URL: smtp.url,
        OWNER_EMAIL: 'owner@example.com',
        BACKUP_DIR: backups,
        LOG_LEVEL: 'debug',
      },
    });
  }, 90_000);

  afterAll(async () => {
    await gateway.kill();
    await Promise.all([redis.stop(), telegram.stop(), anthropic.stop(), receiver.stop(), smtp.stop()]);
  });

  const data = async <T>(method: string, path: string, body?: object, headers?: Record<string, string>) => {
    const answer = await gateway.api<T>(method, path, body, { headers });
    expect(answer.status).toBeLessThan(300);
    return answer.body.data;
  };
  const found = (text: string) => Object.keys(SECRETS).filter((one) => text.includes(SECRETS[one as 'name']));

  /** Which secrets each table of the database holds, as text or as bytes. */
  async function inDatabase(): Promise<Record<string, string[]>> {
    return withClient(databaseUrl, async (client) => {
      const { rows: tables } = await client.query<{ name: string }>(
        `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
         WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
      );
      const holding: Record<string, string[]> = {};
      for (const { name } of tables) {
        const { rows } = await client.query<{ text: string }>(`SELECT t::text AS text FROM ${name} t`);
        const held = found(rows.map(({ text }) => text).join('\n'));
        if (held.length > 0) holding[name] = held;
      }
      return holding;
    });
  }

  async function inRedis(): Promise<string[]> {
    const client = new Redis(redis.url);
    const texts: string[] = [];
    const readers: Record<string, (key: string) => Promise<unknown>> = {
      string: (key) => client.get(key),
      hash: (key) => client.hgetall(key),
      list: (key) => client.lrange(key, 0, -1),
      set: (key) => client.smembers(key),
      zset: (key) => client.zrange(key, 0, -1),
      stream: (key) => client.xrange(key, '-', '+'),
    };
    for (const key of await client.keys('*'))
      texts.push(key, JSON.stringify(await readers[await client.type(key)]!(key)));
    client.disconnect();
    expect(texts.length).toBeGreaterThan(0);
    return found(texts.join('\n'));
  }

  async function inFiles(directory: string): Promise<Record<string, string[]>> {
    const holding: Record<string, string[]> = {};
    for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const path = join(entry.parentPath, entry.name);
      const bytes = await readFile(path);
      const plain = path.endsWith('.zst') ? await promisify(zstdDecompress)(bytes) : bytes;
      const held = found(`${path}\n${plain.toString('latin1')}`);
      if (held.length > 0) holding[entry.name] = held;
    }
    return holding;
  }

  async function backup(): Promise<void> {
    const { id } = await data<{ id: string }>('POST', '/admin/backups');
    await eventually('the backup is whole', async () => {
      expect(await data('GET', `/admin/backups/${id}`)).toMatchObject({ status: 'completed' });
    });
  }

  it('tables, files, a new backup, mail, Redis and the log have no name or text of the person', async () => {
    await eventually('telegram is connected', async () => {
      const platforms = await data<{ platform: string; status: string }[]>('GET', '/integrations');
      expect(platforms.find(({ platform }) => platform === 'telegram')!.status).toBe('connected');
    });
    await data('POST', '/webhooks', { url: receiver.url(), events: ['*'] });
    await data('PATCH', '/admin/settings', { handover: { notify_after_minutes: 1, phrases: ['a real person'] } });
    const from = {
      id: CHAT,
      is_bot: false,
      first_name: 'Zerlina',
      last_name: 'Quibblewick',
      username: SECRETS.username,
    };
    telegram.receiveText({ chatId: CHAT, text: `Have you seen ${SECRETS.question}?`, from });
    const conversation = await eventually('the question is answered', async () => {
      const [one] = await data<ConversationDto[]>('GET', `/conversations?q=${CHAT}`);
      expect(one?.message_count).toBe(2);
      return one!;
    });
    const file_id = telegram.addFile(Buffer.concat([png(1, 1, 2_000), Buffer.from(SECRETS.file)]));
    const photo = [{ file_id, file_unique_id: 'umbrella', width: 1, height: 1, file_size: 2_019 }];
    telegram.receiveContent(CHAT, { photo, caption: SECRETS.caption });
    const headers = { 'idempotency-key': 'parcel-77' };
    const send = { platform: 'telegram', recipient: String(CHAT), message: SECRETS.client };
    const sent = await data<{ message_id: string }>('POST', '/messages/send', send, headers);
    const send_at = new Date(Date.now() + 3_600_000).toISOString();
    await data('POST', '/messages/send', { ...send, message: SECRETS.later, send_at });
    telegram.receiveText({ chatId: CHAT, text: 'I want a real person', from });
    const path = `/conversations/${conversation.id}`;
    await eventually('a person is requested', async () => {
      expect((await data<ConversationDto>('GET', path)).handling).toBe('requested');
      const messages = await data<MessageDto[]>('GET', `/messages?conversation_id=${conversation.id}&expand=details`);
      expect(messages.flatMap(({ attachments }) => attachments.map(({ status }) => status))).toEqual(['stored']);
    });
    await data('POST', `${path}/handover`, { note: SECRETS.note });
    await eventually('receivers have answered', async () => {
      const rows = (await inDatabase())['public.webhook_deliveries'] ?? [];
      expect(rows).toEqual(expect.arrayContaining(['id', 'question', 'answer']));
    });
    await backup();
    // The scans find the data before the erasure.
    const before = Object.values(await inDatabase()).flat();
    const written = Object.keys(SECRETS).filter((one) => one !== 'file');
    expect(new Set(before)).toEqual(new Set(written));
    expect(Object.values(await inFiles(join(gateway.dataDir, 'media'))).flat()).toEqual(['file']);
    expect(Object.values(await inFiles(backups)).flat()).toEqual(expect.arrayContaining(written));
    const old = (await readdir(backups)).find((name) => name.endsWith('.zst'));

    expect((await gateway.api('DELETE', path)).status).toBe(200);
    await eventually(
      'its receivers are told',
      () => {
        const told = receiver.posts.filter(({ event }) => event.type === 'conversation.erased');
        expect(told).toHaveLength(1);
      },
      ERASED,
    );
    const again = await gateway.api<{ message_id: string }>('POST', '/messages/send', send, { headers });
    expect([again.status, again.body.data.message_id]).toEqual([200, sent.message_id]);
    await backup();

    expect(await inDatabase()).toEqual({});
    expect(await inFiles(join(gateway.dataDir, 'media'))).toEqual({});
    const { [old!]: _old, ...newer } = await inFiles(backups);
    expect(newer).toEqual({});
    expect(await inRedis()).toEqual([]);
    expect(found(JSON.stringify(smtp.mails))).toEqual([]);
    expect(found(gateway.output)).toEqual([]);
    expect(gateway.output).toContain('"level"');
  }, 180_000);
});
