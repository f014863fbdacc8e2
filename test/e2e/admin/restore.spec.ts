import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataSource } from 'typeorm';
import { Client } from 'pg';
import { newUuid } from '#contracts';
import { authenticationKeyOf } from '../../../src/operations/backups/archive/authentication';
import { fileSource } from '../../../src/operations/backups/archive/backup-source';
import { readBackup } from '../../../src/operations/backups/archive/backup-reader';
import { writeBackup } from '../../../src/operations/backups/archive/backup-writer';
import { backupFileName, FORMAT } from '../../../src/operations/backups/archive/manifest';
import { Snapshot } from '../../../src/operations/backups/archive/snapshot';
import { restoreBackup, verifyBackup } from '../../../src/operations/backups/restore';
import { AFTER_RESTORE } from '../../../src/operations/cli/after-restore';
import { loadConfiguration } from '../../../src/core/config/load-configuration';
import { dataSourceOptions, pendingMigrations } from '../../../src/core/database/data-source';
import { MIGRATIONS } from '../../../src/core/database/migrations';
import { firstIdOf } from '../../../src/core/events/id-times';
import { DoctorDatabase } from '../../../src/core/doctor/doctor-database';
import { HeldWorkCheck } from '../../../src/status/doctor/held-work.check';
import { configuredSecrets, fingerprintsOf } from '../../../src/core/secrets/deployment-secrets';
import { HeldWork } from '../../../src/webhooks/held-work.service';
import { AnthropicFake } from '../../fakes/anthropic.fake';
import { LOCAL_RECEIVERS, ReceiverFake } from '../../fakes/receiver.fake';
import { TelegramFake } from '../../fakes/telegram.fake';
import { backUp } from '../../support/backups';
import { eventually } from '../../support/eventually';
import { testEnvironment } from '../../support/environment';
import { startTestGateway, type TestGateway } from '../../support/gateway';
import { sharedPostgres, withClient } from '../../support/postgres';

const LOG = { info: () => undefined, warn: () => undefined };

describe('restoreBackup', () => {
  let directory: string;
  const stops: (() => Promise<unknown>)[] = [];

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'gateway-restore-'));
  });
  afterEach(async () => {
    for (const stop of stops.splice(0).toReversed()) await stop();
    await rm(directory, { recursive: true, force: true });
  });

  const configuration = (env: NodeJS.ProcessEnv = {}) =>
    loadConfiguration({ ...testEnvironment({}), DATA_DIR: directory, BACKUP_DIR: directory, ...env });

  const empty = async () => (await sharedPostgres()).createEmptyDatabase();

  it('sends nothing again: sends fail, replies are dropped, deliveries and mail are held', async () => {
    const receiver = await new ReceiverFake().start();
    stops.push(() => receiver.stop());
    receiver.react(503, '/hook');
    const first = await startTestGateway({ env: { BACKUP_DIR: directory, ...LOCAL_RECEIVERS } });
    stops.push(() => first.stop());
    await first.api(
      'POST',
      '/webhooks',
      { url: receiver.url('/hook'), events: ['message.sent'] },
      { key: first.testKey },
    );
    const sent = await first.api<{ message_id: string; conversation_id: string }>(
      'POST',
      '/messages/send',
      { platform: 'telegram', recipient: '7', message: 'Hi' },
      { key: first.testKey },
    );
    expect(sent.status).toBe(200);
    await eventually('a delivery has failed', () => expect(receiver.posts).toHaveLength(1));
    await eventually('a retry is due later', async () => {
      const due = await first.sql(`SELECT 1 FROM webhook_dispatches WHERE next_at > now() AND lease_until IS NULL`);
      expect(due).toHaveLength(1);
    });
    // As a process leaves them that works on them.
    const [conversation] = await first.sql<{ id: string }>('SELECT id FROM conversations');
    const pending = newUuid();
    await first.sql(
      `INSERT INTO messages (id, environment, conversation_id, seq, platform, direction, content, status, lease_until, created_at)
       VALUES ($1, 'live', $2, 900, 'telegram', 'outbound', 'Pending', 'pending', now() + interval '1 hour', now())`,
      [pending, conversation!.id],
    );
    for (const [index, at] of ["now() + interval '1 hour'", 'now()'].entries()) {
      const id = newUuid();
      await first.sql(
        `INSERT INTO messages (id, environment, conversation_id, seq, platform, direction, content, status, created_at)
         VALUES ($1, 'live', $2, $3, 'telegram', 'outbound', 'Scheduled', 'scheduled', now())`,
        [id, conversation!.id, 901 + index],
      );
      await first.sql(
        `INSERT INTO scheduled_sends (message_id, environment, next_at, lease_until)
         VALUES ($1, 'live', ${at}, now() + interval '1 hour')`,
        [id],
      );
    }
    await first.sql(
      `INSERT INTO reply_tasks (conversation_id, environment, requested_seq, next_at, lease_until)
       VALUES ($1, 'live', 900, now(), now() + interval '1 hour')`,
      [conversation!.id],
    );
    await first.sql(
      `INSERT INTO mail_outbox (id, environment, subject, text, created_at, next_at)
       VALUES ($1, 'live', 'Due', 'Due', now(), now() + interval '1 hour')`,
      [newUuid()],
    );
    const { path } = await backUp(first, directory);
    await first.stop();
    const postsBefore = receiver.posts.length;
    receiver.react(200, '/hook');

    const url = await empty();
    const { afterwards } = await restoreBackup(
      configuration(),
      { url, source: fileSource(path), log: LOG },
      AFTER_RESTORE,
    );
    expect(afterwards).toEqual({
      failed_sends: 1,
      failed_scheduled_sends: 1,
      dropped_replies: 1,
      held_deliveries: 1,
      held_mails: 1,
      disabled_accounts: 0,
      disabled_tools: 0,
      // That of the gateway that made the backup.
      forgotten_folders: 1,
      restore_times: 1,
    });

    const telegram = await new TelegramFake().start();
    stops.push(() => telegram.stop());
    const anthropic = await new AnthropicFake().start();
    stops.push(() => anthropic.stop());
    // A platform hands over what came while the gateway was away, and then something new.
    telegram.receive({
      message: {
        message_id: 7_001,
        date: Math.floor(Date.now() / 1_000) - 3_600,
        chat: { id: 41, type: 'private' },
        from: { id: 41, is_bot: false, first_name: 'Ada' },
        text: 'From before',
      },
    });
    const restored = await startTestGateway({ databaseUrl: url, telegram, anthropic, env: LOCAL_RECEIVERS });
    stops.push(() => restored.stop());
    const [failed] = await restored.sql<{ status: string; code: string }>(
      `SELECT status, failure ->> 'code' AS code FROM messages WHERE id = $1`,
      [pending],
    );
    expect(failed).toEqual({ status: 'failed', code: 'ambiguous' });
    telegram.receiveText({ chatId: 42, text: 'Hello' });
    await eventually('what is new is answered', () => {
      expect(telegram.sent.map(({ chat_id }) => Number(chat_id))).toContain(42);
    });
    const stored = await restored.sql<{ content: string }>(
      `SELECT content FROM messages WHERE content = 'From before' AND options ->> 'expects_reply' = 'false'`,
    );
    expect(stored).toHaveLength(1);
    expect(receiver.posts).toHaveLength(postsBefore);

    // The delivery is of the test environment, the mail of the live one.
    const heldOf = async (key: string) => {
      const { body } = await restored.api<{ held: object }>('GET', '/status', undefined, { key });
      return body.data.held;
    };
    expect(await heldOf(restored.testKey)).toEqual({ deliveries: 1, mails: 0 });
    expect(await heldOf(restored.liveKey)).toEqual({ deliveries: 0, mails: 1 });
    const metrics = await (await fetch(`${restored.url}/metrics`)).text();
    expect(metrics).toContain('gateway_held_work{kind="webhook-deliveries",environment="test"} 1\n');
    expect(metrics).toContain('gateway_held_work{kind="owner-mail",environment="live"} 1\n');
    const doctorDatabase = new DoctorDatabase(() => Promise.resolve(url));
    stops.push(() => doctorDatabase.close());
    const doctor = new HeldWorkCheck(doctorDatabase);
    expect(await doctor.check()).toMatchObject([
      { name: 'restore.held', status: 'warning', message: 'Webhook deliveries held: 1; mails held: 1' },
    ]);

    expect(await restored.app.get(HeldWork).resume()).toEqual({ deliveries: 1, mails: 1 });
    await eventually('the held delivery has arrived', () => expect(receiver.posts).toHaveLength(postsBefore + 1));
    expect(await restored.app.get(HeldWork).resume()).toEqual({ deliveries: 0, mails: 0 });
    expect(await heldOf(restored.liveKey)).toEqual({ deliveries: 0, mails: 0 });
    expect(await doctor.check()).toMatchObject([{ name: 'restore', status: 'ok' }]);
  });

  it('keeps takeovers, and ends those that expired since', async () => {
    const first = await startTestGateway({ env: { BACKUP_DIR: directory } });
    stops.push(() => first.stop());
    const key = first.testKey;
    const ids: Record<string, string> = {};
    for (const name of ['kept', 'over', 'requested']) {
      const content = name === 'requested' ? 'May I talk to a person?' : 'Hello';
      const inbound = { platform: 'telegram', sender: { id: name }, content };
      const answer = await first.api<{ conversation_id: string }>('POST', '/sandbox/inbound', inbound, { key });
      ids[name] = answer.body.data.conversation_id;
    }
    for (const [name, minutes] of [['kept', 10_080] as const, ['over', 1] as const]) {
      const taken = { assignee: 'Grace', resume_after_minutes: minutes };
      expect((await first.api('POST', `/conversations/${ids[name]}/handover`, taken, { key })).status).toBe(200);
    }
    interface Shown {
      handling: string;
      handover: object | null;
    }
    const shown = async (gateway: TestGateway, name: string) =>
      (await gateway.api<Shown>('GET', `/conversations/${ids[name]}`, undefined, { key })).body.data;
    await eventually('a person is requested', async () =>
      expect((await shown(first, 'requested')).handling).toBe('requested'),
    );
    const [kept, requested] = [await shown(first, 'kept'), await shown(first, 'requested')];
    const { path } = await backUp(first, directory);
    await first.stop();
    const url = await empty();
    await restoreBackup(configuration(), { url, source: fileSource(path), log: LOG }, AFTER_RESTORE);
    // As if two minutes had passed.
    await withClient(url, (client) =>
      client.query(`UPDATE handovers SET resume_at = resume_at - interval '2 minutes', next_at = next_at - interval '2 minutes'
        WHERE resume_at < now() + interval '1 hour'`),
    );
    const restored = await startTestGateway({ databaseUrl: url });
    stops.push(() => restored.stop());
    await eventually('the assistant has what was due back', async () =>
      expect(await shown(restored, 'over')).toMatchObject({ handling: 'assistant', handover: null }),
    );
    expect(await shown(restored, 'kept')).toMatchObject({ handling: 'human', handover: kept.handover });
    expect(await shown(restored, 'requested')).toMatchObject({ handling: 'requested', handover: requested.handover });
  });

  it('restores every table exactly, only into an empty database', async () => {
    const gateway = await startTestGateway({ env: { BACKUP_DIR: directory } });
    stops.push(() => gateway.stop());
    for (const recipient of ['1', '2', '3'])
      await gateway.api(
        'POST',
        '/messages/send',
        { platform: 'discord', recipient, message: `Hi "${recipient}"\t\\N\n${'é'.repeat(2_000)}` },
        { key: gateway.testKey },
      );
    const { path } = await backUp(gateway, directory);
    const url = await empty();
    // As pg_stat_statements, which many servers have in each database: it holds no row.
    await withClient(url, (client) => client.query('CREATE VIEW statistics_of_the_server AS SELECT 1 AS n'));
    const shares: Partial<Record<string, number[]>> = {};
    const onProgress = (step: string, share: number) => void (shares[step] ??= []).push(share);
    const { manifest } = await restoreBackup(
      configuration(),
      { url, source: fileSource(path), log: LOG, onProgress },
      [],
    );
    expect(Object.keys(shares)).toEqual(['verify', 'load', 'compare']);
    for (const step of Object.values(shares)) {
      expect(step!.toSorted((a, b) => a - b)).toEqual(step);
      expect(step!.at(-1)).toBe(1);
    }
    for (const { name, rows } of manifest.tables) {
      const count = async (database: string) =>
        withClient(
          database,
          async (client) => (await client.query(`SELECT count(*)::int AS n FROM ${name}`)).rows[0].n,
        );
      expect([name, await count(url)]).toEqual([name, rows]);
    }
    const rebuilt = async (database: string) =>
      withClient(database, async (client) => {
        const { rows } = await client.query(
          'SELECT conversation_id, field, term FROM conversation_terms ORDER BY 1, 2',
        );
        return rows as unknown[];
      });
    expect(await rebuilt(url)).toEqual(await rebuilt(gateway.databaseUrl));
    await expect(restoreBackup(configuration(), { url, source: fileSource(path), log: LOG }, [])).rejects.toThrow(
      /not empty/,
    );
  });

  it('restores rows of partitioned tables into a database with other partitions', async () => {
    const gateway = await startTestGateway({ env: { BACKUP_DIR: directory } });
    stops.push(() => gateway.stop());
    // As of a server whose clock is ahead by half a year, and which has had no partition for the present.
    const [first] = await gateway.sql<{ name: string }>(
      `SELECT relname AS name FROM pg_class WHERE relispartition AND relname ~ '^events_until_\\d+$'`,
    );
    const at = (days: number) => new Date(Date.now() + days * 86_400_000);
    await gateway.sql(`DROP TABLE ${first!.name}`);
    await gateway.sql(
      `CREATE TABLE events_far PARTITION OF events FOR VALUES FROM ('${firstIdOf(at(150))}') TO ('${firstIdOf(at(200))}')`,
    );
    for (const days of [180, 0])
      await gateway.sql(
        `INSERT INTO events (id, environment, type, body, created_at) VALUES ($1, 'live', 'system.health', '{}', now())`,
        [newUuid(at(days).getTime())],
      );
    const { path } = await backUp(gateway, directory);
    const url = await empty();
    const { manifest } = await restoreBackup(configuration(), { url, source: fileSource(path), log: LOG }, []);
    const { rows } = await withClient(url, (client) =>
      client.query('SELECT DISTINCT tableoid::regclass::text FROM events'),
    );
    expect(rows).toHaveLength(2);
    expect(manifest.tables.filter(({ order }) => order).map(({ name, order }) => [name, order])).toEqual(
      expect.arrayContaining([
        ['events', ['id']],
        ['webhook_dispatches', ['event_id', 'webhook_id']],
      ]),
    );
  });

  it('leaves the database empty if anything fails', async () => {
    const gateway = await startTestGateway({ env: { BACKUP_DIR: directory } });
    stops.push(() => gateway.stop());
    const { path } = await backUp(gateway, directory);
    const url = await empty();
    const broken = [{ name: 'broken', statement: 'SELECT 1 FROM nowhere' }];
    await expect(restoreBackup(configuration(), { url, source: fileSource(path), log: LOG }, broken)).rejects.toThrow(
      /nowhere/,
    );
    expect(await pendingMigrations(url)).toBe(MIGRATIONS.length);
    await restoreBackup(configuration(), { url, source: fileSource(path), log: LOG }, []);
    expect(await pendingMigrations(url)).toBe(0);
  });

  it("names the secret that differs from the backup's", async () => {
    const gateway = await startTestGateway({ env: { BACKUP_DIR: directory } });
    stops.push(() => gateway.stop());
    const { path } = await backUp(gateway, directory);
    const manifest = await verifyBackup(configuration(), fileSource(path));
    expect(manifest.format).toBe(FORMAT);
    // It holds their fingerprints, and never the secrets.
    let content = JSON.stringify(manifest);
    await readBackup(fileSource(path), { visitor: { rows: async (_, chunk) => void (content += chunk.toString()) } });
    expect(content).not.toContain(testEnvironment({}).API_KEY_PEPPER);
    expect(Object.keys(manifest.fingerprints).toSorted()).toEqual(['pepper', 'secrets key']);
    await expect(
      verifyBackup(configuration({ API_KEY_PEPPER: 'another pepper than that one' }), fileSource(path)),
    ).rejects.toThrow(/^API_KEY_PEPPER differs/);
    await expect(verifyBackup(configuration({ SECRETS_KEY: 'another secrets key' }), fileSource(path))).rejects.toThrow(
      /^SECRETS_KEY differs/,
    );
    const other = { url: await empty(), source: fileSource(path), log: LOG };
    await expect(
      restoreBackup(configuration({ API_KEY_PEPPER: 'another pepper than that one' }), other, []),
    ).rejects.toThrow(/^API_KEY_PEPPER differs/);
  });

  it('migrates the rows of an older schema', async () => {
    const source = await empty();
    const older = MIGRATIONS.filter(({ name }) => Number(name.slice(-13)) < 1_764_001_200_000);
    const dataSource = await new DataSource({ ...dataSourceOptions(source), migrations: older }).initialize();
    await dataSource.runMigrations();
    await dataSource.query(
      `INSERT INTO conversations (id, environment, platform, participant_id, participant_name, created_at, last_message_at)
       VALUES (gen_random_uuid(), 'live', 'telegram', '5', 'Ada', now(), now())`,
    );
    await dataSource.destroy();
    const client = new Client({ connectionString: source });
    await client.connect();
    const snapshot = await Snapshot.open(client);
    const secrets = await configuredSecrets(configuration());
    const header = {
      format: FORMAT,
      id: 'bak_old',
      created_at: new Date().toISOString(),
      schema: snapshot.schema,
      fingerprints: fingerprintsOf(secrets!),
      tables: snapshot.tables,
    };
    const path = join(directory, backupFileName(header.id, header.created_at, false));
    await writeBackup(snapshot, { path, header, key: authenticationKeyOf(secrets!.pepper) });
    await client.end();
    const url = await empty();
    await restoreBackup(configuration(), { url, source: fileSource(path), log: LOG }, AFTER_RESTORE);
    expect(await pendingMigrations(url)).toBe(0);
    const { rows } = await withClient(url, (target) =>
      target.query(`SELECT term FROM conversation_terms WHERE field = 'name'`),
    );
    expect(rows).toEqual([{ term: 'ada' }]);
  });
});
