import { spawnSync } from 'node:child_process';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LOCAL_RECEIVERS, ReceiverFake } from '../../fakes/receiver.fake';
import { runCommand, type CommandResult } from '../../support/command';
import { eventually } from '../../support/eventually';
import { GatewayProcess } from '../../support/process';
import { onTerminal, runOnTerminal } from '../../support/terminal';

jest.setTimeout(120_000);

describe('the command line beside a running gateway', () => {
  let gateway: GatewayProcess;
  const receiver = new ReceiverFake();

  beforeAll(async () => {
    await receiver.start();
    // `gateway start`, with the embedded database.
    const start = (words: readonly string[]) => [...words.slice(0, -1), 'dist/bundle/cli.js', 'start'];
    gateway = await GatewayProcess.start({ wrap: start, env: LOCAL_RECEIVERS });
  });

  const run = (...words: string[]): Promise<CommandResult> =>
    runCommand({ DATA_DIR: gateway.dataDir, ...LOCAL_RECEIVERS }, ...words);
  const json = async <T>(...words: string[]): Promise<T> => {
    const { stdout, stderr, code } = await run(...words, '--json');
    expect([code, stderr]).toEqual([0, '']);
    return JSON.parse(stdout) as T;
  };
  const statusWith = async (key: string) => (await gateway.api('GET', '/admin/api-keys', undefined, { key })).status;

  it('keys: creates, rolls, lists and revokes keys, with immediate effect', async () => {
    const created = await json<{ id: string; file: string; created_by: string; key?: string }>(
      'keys',
      'create',
      '--name',
      'Shop',
      '--scopes',
      'admin:users, read:status',
    );
    expect([created.created_by, created.key]).toEqual(['cli', undefined]);
    expect((await stat(created.file)).mode & 0o777).toBe(0o600);
    const key = (await readFile(created.file, 'utf8')).trim();
    expect(await statusWith(key)).toBe(200);
    const rolled = await run('keys', 'roll', created.id, '--grace-hours', '0', '--show');
    const fresh = /service_sk_live_\w{32}/.exec(rolled.stdout)![0];
    await eventually('the former value has ended', async () => expect(await statusWith(key)).toBe(401));
    expect(await statusWith(fresh)).toBe(200);
    // No terminal: it does not ask.
    expect((await run('keys', 'revoke', created.id)).stdout).toMatch(/was revoked at/);
    await eventually('the key is refused', async () => expect(await statusWith(fresh)).toBe(401));
    const keys = await json<{ id: string; status: string }[]>('keys', 'list');
    expect(keys).toContainEqual(expect.objectContaining({ id: created.id, status: 'revoked' }));
  });

  it('accounts: lists, disables, enables and deletes an account, which the gateway applies at once', async () => {
    const create = ['keys', 'create', '--environment', 'test', '--name', 'Accounts'];
    const { file } = await json<{ file: string }>(...create, '--scopes', 'read:status, admin:settings');
    const call = { key: (await readFile(file, 'utf8')).trim() };
    const list = (): Promise<{ id: string; name: string; enabled: boolean }[]> =>
      json('accounts', 'list', '--environment', 'test');
    const enabled = async (id: string) => {
      const { body } = await gateway.api<{ id: string; enabled: boolean }[]>('GET', '/integrations', undefined, call);
      return body.data.find((account) => account.id === id)?.enabled;
    };
    const added = await eventually('the schema is finished', async () => {
      const body = { platform: 'telegram', name: 'Second', credentials: { bot_token: '7001:second' } };
      const answer = await gateway.api<{ id: string }>('POST', '/integrations', body, call);
      expect(answer.status).toBe(201);
      return answer.body.data;
    });
    expect(await list()).toContainEqual(expect.objectContaining({ id: added.id, name: 'Second', enabled: true }));
    for (const [word, state] of [
      ['disable', false],
      ['enable', true],
    ] as const) {
      await json('accounts', word, added.id, '--environment', 'test');
      await eventually('the gateway applies it', async () => expect(await enabled(added.id)).toBe(state));
    }
    const own = (await list()).find(({ name }) => name === 'default')!;
    expect(await run('accounts', 'delete', own.id, '--environment', 'test')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('variables of the environment') as string,
    });
    await json('accounts', 'delete', added.id, '--environment', 'test');
    await eventually('it is gone', async () => expect(await enabled(added.id)).toBeUndefined());
    expect((await list()).map(({ id }) => id)).not.toContain(added.id);
  });

  it('keys revoke asks on a terminal, revokes only after yes, and does not ask with --yes', async () => {
    const env = { DATA_DIR: gateway.dataDir };
    const create = ['keys', 'create', '--name', 'Till', '--scopes', 'read:status'];
    const { id, file } = await json<{ id: string; file: string }>(...create);
    const key = (await readFile(file, 'utf8')).trim();
    const status = async () => (await gateway.api('GET', '/status', undefined, { key })).status;
    const question = /Revoke key_\w+\? Its clients are refused immediately \[y\/N\] /;
    for (const answer of ['n', '', 'yesterday']) {
      const refused = await runOnTerminal(env, ['keys', 'revoke', id], { after: question, text: `${answer}\n` });
      expect(refused).toEqual({ code: 1, shown: expect.stringMatching(/Nothing was revoked\s*$/) as string });
    }
    expect(await status()).toBe(200);
    const revoked = await runOnTerminal(env, ['keys', 'revoke', id], { after: question, text: 'y\n' });
    expect(revoked).toEqual({ code: 0, shown: expect.stringContaining(`${id} was revoked at`) as string });
    await eventually('the key is refused', async () => expect(await status()).toBe(401));

    const next = await json<{ id: string }>(...create);
    const unasked = await runOnTerminal(env, ['keys', 'revoke', next.id, '--yes']);
    expect(unasked).toEqual({ code: 0, shown: expect.stringMatching(/^key_\w+ was revoked at/) as string });
  });

  it('settings: applies a change in the gateway', async () => {
    expect((await run('settings', 'set', 'ai.auto_reply', 'false')).stdout).toBe('ai.auto_reply = false\n');
    await eventually('the gateway has it', async () => {
      const { body } = await gateway.api<{ ai: { auto_reply: boolean } }>('GET', '/admin/settings');
      expect(body.data.ai.auto_reply).toBe(false);
    });
    expect(await json('settings', 'get', 'rate_limits')).toMatchObject({ messages_per_minute: 60 });
  });

  it('webhooks: lists, tests, replays and resumes webhooks', async () => {
    const { body } = await gateway.api<{ id: string }>('POST', '/webhooks', { url: receiver.url(), events: ['*'] });
    const { id } = body.data;
    const [listed, tested, replayed, resumed] = await Promise.all([
      json<{ id: string }[]>('webhooks', 'list'),
      json<{ status: string }>('webhooks', 'test', id),
      json<{ webhook_id: string }>('webhooks', 'replay', id, '--since', '2026-01-01'),
      json('webhooks', 'resume'),
    ]);
    expect(listed.map((webhook) => webhook.id)).toEqual([id]);
    expect(tested.status).toBe('success');
    expect(replayed.webhook_id).toBe(id);
    expect(resumed).toEqual({ deliveries: 0, mails: 0 });
    expect(receiver.posts.length).toBeGreaterThan(0);
  });

  it('backup: shows progress on a terminal only', async () => {
    const env = { DATA_DIR: gateway.dataDir, BACKUP_DIR: join(gateway.dataDir, 'backups') };
    const { shown } = await runOnTerminal(env, ['backup', 'create']);
    expect(shown).toMatch(/Backing up {2}\[#{30}\] 100 %/);
    const [, id] = /(bak_\w+) is intact/.exec(shown)!;
    const verified = await runCommand(env, 'backup', 'verify', id!);
    expect(verified).toMatchObject({ code: 0, stderr: '' });
  });

  it('explain: prints the timeline of a message, given any of its ids', async () => {
    const message = { platform: 'telegram', recipient: '1', message: 'Hello' };
    const body = { name: 'Sandbox', scopes: ['*'], environment: 'test' };
    const { key } = (await gateway.api<{ key: string }>('POST', '/admin/api-keys', body)).body.data;
    const sent = await gateway.api<{ message_id: string }>('POST', '/messages/send', message, { key });
    const { message_id } = sent.body.data;
    type Step = { step: string; data: { event_id?: string } };
    const steps = await eventually('the audit log has the request', async () => {
      const found = await json<Step[]>('explain', message_id);
      expect(found.map(({ step }) => step)).toEqual(expect.arrayContaining(['stored', 'sent', 'event', 'audit']));
      return found;
    });
    const { event_id } = steps.find(({ step }) => step === 'event')!.data;
    expect(await json('explain', event_id!)).toEqual(await json('explain', message_id));
    const { stdout } = await run('explain', sent.body.meta.request_id);
    expect(stdout).toMatch(/^AT +STEP +WHAT\n/);
    expect(stdout).toContain('Telegram accepted the message');
    expect(await run('explain', 'msg_01h455vb4pex5vsknk084sn02q')).toMatchObject({ code: 1, stdout: '' });
    expect(await run('explain', 'nonsense')).toMatchObject({ code: 2, stdout: '' });
  });

  it('reports wrong usage with exit code 2 and a refusal with 1, each in one line', async () => {
    const [unknown, invalid, refused, help] = await Promise.all([
      run('keys', 'crate'),
      run('settings', 'set', 'ai.model', 'not-json'),
      run('settings', 'set', 'ai.temperature', '7', '--json'),
      run('keys', 'create', '--help'),
    ]);
    expect([unknown.code, invalid.code, refused.code, help.code]).toEqual([2, 2, 1, 0]);
    expect(invalid.stderr).toMatch(/^not-json is not JSON.*\n$/);
    expect(refused.stderr).toMatch(/^ai\.temperature .*\n$/);
    expect(JSON.parse(refused.stdout)).toEqual({ error: { message: refused.stderr.trim() } });
    expect(help.stdout).toContain('Examples:\n  $ gateway keys create');
  });

  it.each(['bash', 'zsh'])('completes commands and options in a real %s', async (shell) => {
    if (spawnSync(shell, ['--version']).error) {
      process.stderr.write(`SKIPPED: ${shell} is not installed, so nothing was completed in it\n`);
      return;
    }
    const script = join(gateway.dataDir, `completion.${shell}`);
    await writeFile(script, (await run('completion', shell)).stdout);
    const lines = ['ba\t', 'ba\tver\t', 'keys create --sc\t', 'keys create --name Shop --envi\t', 'settings g\t ai.b'];
    // A function replaces the command and prints its arguments. The quotes distinguish its output from the echo.
    const setUp = `source '${script}'; gateway() { echo "RAN": "$@" .; }; echo "REA"DY\r`;
    const typed = [
      { after: /[$%#]/, text: setUp },
      ...lines.map((line, n) => ({ after: n === 0 ? /READY/ : /RAN: /, text: `gateway ${line}\r` })),
      { after: /RAN: /, text: 'exit\r' },
    ];
    const { shown } = await onTerminal(shell === 'bash' ? 'bash --norc -i' : 'zsh -f -i', { typed });
    expect([...shown.matchAll(/RAN: (.*) \./g)].map(([, words]) => words)).toEqual([
      'backup',
      'backup verify',
      'keys create --scopes',
      'keys create --name Shop --environment',
      'settings get ai.b',
    ]);
  });
});
