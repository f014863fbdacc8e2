import { execFileSync } from 'node:child_process';
import { cp, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EmbeddedPostgres } from '#embedded-postgres';
import type { BackupDto } from '../../../src/operations/backups/backup.dto';
import { AnthropicFake } from '../../fakes/anthropic.fake';
import { LOCAL_RECEIVERS, ReceiverFake } from '../../fakes/receiver.fake';
import { SmtpFake } from '../../fakes/smtp.fake';
import { TelegramFake } from '../../fakes/telegram.fake';
import { ROOT } from '../../support/environment';
import { EventSourceClient } from '../../support/event-source';
import { eventually } from '../../support/eventually';
import { ObjectStorage } from '../../support/object-storage';
import { makePassableFolder } from '../../support/passable-folder';
import { GatewayProcess } from '../../support/process';
import { withClient } from '../../support/with-client';

jest.setTimeout(180_000);

/** An installation: the build and its packages in their own folder, which `npm ci` or an upgrade may empty. */
describe('a running gateway whose program files were removed', () => {
  const telegram = new TelegramFake();
  const anthropic = new AnthropicFake();
  const receiver = new ReceiverFake();
  const mail = new SmtpFake();
  let storage: ObjectStorage;
  let folder: string;
  let gateway: GatewayProcess;

  beforeAll(async () => {
    await Promise.all([telegram, anthropic, receiver, mail].map((fake) => fake.start()));
    folder = await makePassableFolder('gateway-test-removed-');
    storage = await ObjectStorage.start(join(folder, 'storage'));
    const program = join(folder, 'program');
    await mkdir(join(program, 'dist'), { recursive: true });
    // Hard links: through symbolic ones, a package that is loaded late would still be found in this tree.
    execFileSync('cp', ['-al', join(ROOT, 'node_modules'), join(program, 'node_modules')]);
    for (const name of ['package.json', 'dist/bundle', 'dist/dashboard', 'dist/src', 'dist/libs'])
      await cp(join(ROOT, name), join(program, name), { recursive: true });
    const keyFile = join(folder, 'backup-key');
    await writeFile(keyFile, 'ab'.repeat(32), { mode: 0o600 });
    gateway = await GatewayProcess.start({
      root: program,
      telegram,
      anthropic,
      env: {
        ...LOCAL_RECEIVERS,
        PATH: `${join(program, 'node_modules/.bin')}:${process.env['PATH']}`,
        BACKUP_DIR: join(folder, 'backups'),
        BACKUP_S3_URL: storage.url,
        BACKUP_KEY_FILE: keyFile,
        SMTP_URL: mail.url,
        OWNER_EMAIL: 'owner@example.com',
      },
    });
    for (const name of ['dist', 'node_modules', 'package.json']) await rm(join(program, name), { recursive: true });
  });

  afterAll(async () => {
    await Promise.all([telegram, anthropic, receiver, mail, storage].map((fake) => fake?.stop()));
    await rm(folder, { recursive: true, force: true });
  });

  const get = (path: string) => fetch(`${gateway.url}${path}`);

  /** Fetches a page and the files that its document names, and expects each to be there. */
  async function fetchPage(path: string, files: RegExp): Promise<string[]> {
    const page = await get(path);
    expect(page.status).toBe(200);
    const names = [...(await page.text()).matchAll(files)].map(([, name]) => name!);
    for (const name of names) {
      const response = await fetch(new URL(name, page.url));
      expect([name, response.status]).toEqual([name, 200]);
      expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(0);
    }
    return names;
  }

  it('serves the documentation and the dashboard completely', async () => {
    const docs = await fetchPage('/docs', /(?:src|href)="([^"]+)"/g);
    expect(docs.join()).toContain('swagger-ui-bundle.js');
    const page = await fetchPage('/dashboard', /(?:src|href)="([^"]+)"/g);
    expect(page.join()).toMatch(/\.js,.*\.css/);
    const lazy = (await readdir(join(ROOT, 'dist/dashboard/assets'))).filter((name) => /\.(js|css|svg)$/.test(name));
    expect(lazy.length).toBeGreaterThan(page.length);
    for (const name of lazy) expect([name, (await get(`/dashboard/assets/${name}`)).status]).toEqual([name, 200]);
  });

  it.each(['/docs-json', '/docs-yaml', '/metrics', '/health/ready', '/health/live'])('answers %s', async (path) => {
    expect((await get(path)).status).toBe(200);
  });

  it.each([
    '/status',
    '/admin/stats',
    '/admin/audit-log',
    '/admin/settings',
    '/ai/status',
    '/integrations',
    '/event-types',
    '/conversations',
  ])('answers GET %s', async (path) => {
    expect(await gateway.api('GET', path)).toMatchObject({ status: 200 });
  });

  it('sends, answers people and delivers webhooks and live events', async () => {
    const stream = await EventSourceClient.open(gateway.url, gateway.key);
    expect(stream.status).toBe(200);
    const webhook = await gateway.api('POST', '/webhooks', {
      url: receiver.url(),
      events: ['message.received', 'message.sent'],
    });
    expect(webhook.status).toBe(201);
    const sent = await gateway.api('POST', '/messages/send', {
      platform: 'telegram',
      recipient: '42',
      message: '**Hello**',
      options: { parse_mode: 'markdown' },
    });
    expect(sent.status).toBe(200);
    telegram.receiveText({ chatId: 7, text: 'Are you there?' });
    await telegram.waitForSent(2);
    await receiver.received(3);
    await eventually('the stream has the events', () => expect(stream.types).toContain('message.received'));
    stream.close();
    const generated = await gateway.api('POST', '/ai/generate', { message: 'Hello' });
    expect(generated.status).toBe(200);
  });

  it('searches conversations on new database connections', async () => {
    for (const q of ['Ada', 'a', 'lovelace'])
      expect((await gateway.api('GET', `/conversations?q=${q}`)).status).toBe(200);
    // The gateway's connections to the database end, so that all later ones are new.
    const database = await EmbeddedPostgres.running(gateway.dataDir);
    await withClient(database.url, (client) =>
      client.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE datname = current_database() AND pid <> pg_backend_pid()`,
      ),
    );
    database.close();
    await eventually('it is ready again', async () => expect((await get('/health/ready')).status).toBe(200));
    telegram.receiveText({ chatId: 8, text: 'On a new connection' });
    await telegram.waitForSent(3);
    expect((await gateway.api('GET', '/conversations?q=lovelace')).status).toBe(200);
    expect((await gateway.api('GET', '/messages')).status).toBe(200);
  });

  it('creates, encrypts, copies and verifies a backup, and queues the mail about it', async () => {
    const { status, body } = await gateway.api<BackupDto>('POST', '/admin/backups');
    expect(status).toBe(201);
    const { id } = body.data;
    await eventually(
      'the backup has ended',
      async () => {
        const { data } = (await gateway.api<BackupDto>('GET', `/admin/backups/${id}`)).body;
        expect(data).toMatchObject({ status: 'completed', error: null });
      },
      { timeoutMs: 60_000 },
    );
    expect(await storage.objects()).toHaveLength(1);
    const verified = await gateway.api<BackupDto>('POST', `/admin/backups/${id}/verify`);
    expect(verified).toMatchObject({ status: 200, body: { data: { verify_error: null } } });
  });

  it('stops cleanly', async () => {
    gateway.child.kill('SIGTERM');
    expect(await gateway.exited).toEqual({ code: 0, signal: null });
    expect(gateway.output).not.toMatch(/MODULE_NOT_FOUND|ENOENT|Cannot find|could not access file/);
  });
});
