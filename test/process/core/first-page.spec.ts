import { cp, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '../../support/eventually';
import { makePassableFolder } from '../../support/passable-folder';
import { GatewayProcess, isAlive } from '../../support/process';
import { redisOnPath, startRedis } from '../../support/redis';

const ROOT = join(__dirname, '../../..');
const SOURCES = ['package.json', 'tsconfig.json', 'tsconfig.build.json', 'nest-cli.json', '.swcrc'];

/** Replaces the page's build: runs until the test makes it fail, or its parent ends. */
const BUILD = `
import { existsSync, writeFileSync } from 'node:fs';
writeFileSync('build-pid', String(process.pid));
if (process.argv.includes('--with-parent')) process.stdin.on('close', () => process.exit(143)).resume();
setInterval(() => {
  if (!existsSync('disk-is-full')) return;
  console.error('There is no disk left');
  process.exit(1);
}, 20);
`;

jest.setTimeout(120_000);

/** A fresh clone with its packages and without a build. */
let folder: string;

beforeAll(async () => {
  folder = await makePassableFolder('gateway-first-start-');
  const link = { recursive: true, filter: (path: string) => !path.includes('/node_modules') };
  for (const name of ['src', 'libs', 'scripts', 'test/demo', 'test/fakes', 'test/load', 'test/support'])
    await cp(join(ROOT, name), join(folder, name), link);
  for (const name of SOURCES) await cp(join(ROOT, name), join(folder, name));
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  await writeFile(join(folder, 'scripts/build-dashboard.mjs'), BUILD);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

const textOf = async (gateway: GatewayProcess, path = '/dashboard') => (await fetch(`${gateway.url}${path}`)).text();

describe('the first npm start', () => {
  it('serves the API before the dashboard is built, says so, and stops the build with the gateway', async () => {
    const gateway = await GatewayProcess.start({ npm: true, root: folder });
    expect((await gateway.api('GET', '/status')).status).toBe(200);
    const notice = await textOf(gateway);
    expect(notice).toContain('<h1>The dashboard is being built</h1>');
    expect(notice).toContain('<meta http-equiv="refresh" content="2" />');

    const pid = Number(await eventually('the build runs', () => readFile(join(folder, 'build-pid'), 'utf8')));
    expect(isAlive(pid)).toBe(true);
    gateway.child.kill('SIGTERM');
    await gateway.exited;
    await eventually('the build has ended', () => expect(isAlive(pid)).toBe(false));
  });

  (redisOnPath() ? it : it.skip)('builds the page anew in the worker that replaces a dead builder', async () => {
    const redis = (await startRedis())!;
    const gateway = await GatewayProcess.start({ root: folder, env: { WORKERS: '2', REDIS_URL: redis.url } });
    const builder = () => readFile(join(folder, 'build-pid'), 'utf8').then(Number);
    const before = await eventually('the build runs', async () => {
      const pid = await builder();
      expect(isAlive(pid)).toBe(true);
      return pid;
    });
    const status = await readFile(`/proc/${before}/status`, 'utf8');
    process.kill(Number(/^PPid:\s+(\d+)$/m.exec(status)![1]), 'SIGKILL');
    await eventually('another build runs', async () => {
      const after = await builder();
      expect([after !== before, isAlive(after), isAlive(before)]).toEqual([true, true, false]);
    });
    await gateway.kill();
    await redis.stop();
  });

  it('says that the dashboard could not be built, and why in the log', async () => {
    await writeFile(join(folder, 'disk-is-full'), '');
    const gateway = await GatewayProcess.start({ root: folder });
    await eventually('the build has failed', async () =>
      expect(await textOf(gateway)).toContain('<h1>The dashboard could not be built</h1>'),
    );
    await eventually('the log says why', () => expect(gateway.output).toContain('There is no disk left'));
    expect((await gateway.api('GET', '/status')).status).toBe(200);

    // A page that is built by hand is served without another start.
    await mkdir(join(folder, 'dist/dashboard/assets'), { recursive: true });
    await writeFile(join(folder, 'dist/dashboard/assets/page-1234.js'), '// the page');
    await writeFile(join(folder, 'dist/dashboard/index.html'), '<title>The page</title>');
    expect(await textOf(gateway)).toBe('<title>The page</title>');
    expect(await textOf(gateway, '/dashboard/assets/page-1234.js')).toBe('// the page');
  });
});
