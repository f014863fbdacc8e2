import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand } from '../../support/command';
import { GatewayProcess } from '../../support/process';

jest.setTimeout(120_000);

describe('the environment of the command line', () => {
  let folder: string;
  let dataDir: string;
  let file: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'command-environment-'));
    dataDir = join(folder, 'data');
    file = join(folder, 'gateway.env');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const firstLine = (text: string) => text.split('\n')[0];

  it('lets only start, migrate and backup restore create a database; other commands name the empty DATA_DIR', async () => {
    const commands = [
      ['keys', 'list'],
      ['keys', 'create', '--name', 'Shop', '--scopes', 'read:status'],
      ['settings', 'get'],
      ['webhooks', 'list'],
      ['webhooks', 'resume'],
      ['backup', 'list'],
      ['backup', 'create'],
    ];
    for (const words of commands) {
      const { code, stdout, stderr } = await runCommand({ DATA_DIR: dataDir }, ...words);
      expect([words.join(' '), code, stdout, firstLine(stderr)]).toEqual([
        words.join(' '),
        1,
        '',
        `DATABASE_URL is not set, and DATA_DIR is ${dataDir}: it has no database. Start the gateway first, or give this command its environment (--env-file)`,
      ]);
      expect(existsSync(dataDir)).toBe(false);
    }
    const json = await runCommand({ DATA_DIR: dataDir }, 'keys', 'list', '--json');
    expect(JSON.parse(json.stdout)).toEqual({ error: { message: json.stderr.trim() } });
    expect((await runCommand({ DATA_DIR: dataDir }, 'migrate')).code).toBe(0);
    expect(await runCommand({ DATA_DIR: dataDir }, 'keys', 'list', '--json')).toMatchObject({
      code: 0,
      stdout: '[]\n',
    });
  });

  it("is read from a unit's file with --env-file before and after the command, and with GATEWAY_ENV_FILE", async () => {
    writeFileSync(file, `# The service\nDATA_DIR="${dataDir}"\nWEBHOOK_HOST_RATE='many'\n`);
    const runs = await Promise.all([
      runCommand({}, '--env-file', file, 'keys', 'list'),
      runCommand({}, 'keys', 'list', '--env-file', file),
      runCommand({ GATEWAY_ENV_FILE: file }, 'keys', 'list'),
    ]);
    for (const { code, stderr } of runs)
      expect([code, stderr]).toEqual([
        1,
        expect.stringMatching(/^The configuration is not valid:\n +WEBHOOK_HOST_RATE: "many"/),
      ]);
    // A variable that is set already wins.
    const { stderr } = await runCommand({ WEBHOOK_HOST_RATE: '1', GATEWAY_ENV_FILE: file }, 'keys', 'list');
    expect(stderr).toContain(`DATA_DIR is ${dataDir}: it has no database`);
    const doctor = await runCommand({}, 'doctor', '--env-file', file, '--json');
    const { checks } = JSON.parse(doctor.stdout) as {
      checks: { name: string; message: string; fix: string; mend: string }[];
    };
    expect(checks).toContainEqual(
      expect.objectContaining({
        name: 'database.not-made',
        message: `DATABASE_URL is not set, and DATA_DIR is ${dataDir}: it has no database`,
      }),
    );
    expect(checks.every(({ fix, mend }) => fix === mend)).toBe(true);
    expect(doctor.code).toBe(3);
  });

  it('of docs/systemd.md serves only requests that a local proxy forwards', async () => {
    const start = (words: readonly string[]) => [
      ...words.slice(0, -1),
      '--',
      'dist/bundle/cli.js',
      'start',
      '--env-file',
      'deploy/systemd/messaging-gateway.env',
    ];
    const gateway = await GatewayProcess.start({ wrap: start, dataDir, env: { SHUTDOWN_DELAY_SECONDS: '0' } });
    const status = async (headers: Record<string, string>) =>
      (await fetch(`${gateway.url}/api/v1/status`, { headers: { authorization: `Bearer ${gateway.key}`, ...headers } }))
        .status;
    expect(await status({})).toBe(400);
    expect(await status({ 'x-forwarded-proto': 'https', 'x-forwarded-for': '203.0.113.7' })).toBe(200);
    gateway.child.kill();
    await gateway.exited;
  });

  it('fails with exit code 1 if its file cannot be read', async () => {
    const { code, stderr } = await runCommand({}, 'keys', 'list', '--env-file', file);
    expect([code, stderr]).toEqual([
      1,
      `The configuration is not valid:\n  --env-file: ${file} cannot be read (ENOENT); accepted: the path of a readable file\n`,
    ]);
  });

  it('escapes control characters of names and URLs in tables and with --json', async () => {
    const env = { DATA_DIR: dataDir };
    expect((await runCommand(env, 'migrate')).code).toBe(0);
    const name = 'Shop\u001b[31m\u009b2J\u007f';
    const created = await runCommand(env, 'keys', 'create', '--name', name, '--scopes', 'read:status');
    expect(created.code).toBe(0);
    const [listed, json] = [await runCommand(env, 'keys', 'list'), await runCommand(env, 'keys', 'list', '--json')];
    for (const { stdout } of [created, listed, json]) {
      expect(stdout).toContain('Shop\\u001b[31m\\u009b2J\\u007f');
      // oxlint-disable-next-line no-control-regex -- these characters are the subject
      expect(stdout.replaceAll('\n', '')).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
    }
    expect((JSON.parse(json.stdout) as { name: string }[])[0]!.name).toBe(name);
  });
});
