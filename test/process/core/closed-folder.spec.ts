import { chmod, chown, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GatewayProcess, type GatewayProcessOptions } from '../../support/process';
import { AS_ROOT, rootMayMount } from '../../support/root';

const ROOT = join(__dirname, '../../..');
/** An ordinary user that every system has. */
const ORDINARY_USER = 65_534;
const AS_ORDINARY_USER = ['setpriv', `--reuid=${ORDINARY_USER}`, `--regid=${ORDINARY_USER}`, '--clear-groups', '--'];
const WITHOUT_MOUNTS = ['setpriv', '--bounding-set=-sys_admin', '--'];

/**
 * Mounts the content of the clone in a folder and enters it. It runs in its own mount namespace, so that no other
 * process sees the mount. The folder of the clone itself may be closed to the user.
 */
const IN_FOLDER = `
set -e
for entry in "$1"/*; do
  shown="$2/\${entry##*/}"
  if [ -d "$entry" ]; then mkdir "$shown" && mount --bind "$entry" "$shown"; else cp -p "$entry" "$shown"; fi
done
cd "$2"
PATH="$2/node_modules/.bin:$PATH"
shift 2
exec "$@"
`;

const folders: string[] = [];
// Runs after the hook of process.ts, which stops the gateways: hooks run in the order of their definition.
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true }))));

async function closedFolder(owner?: number): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'gateway-test-closed-'));
  folders.push(folder);
  if (owner !== undefined) await chown(folder, owner, owner);
  return folder;
}

describe('a gateway in a folder of mode 0700', () => {
  it('serves the owner of the folder', async () => {
    const folder = await closedFolder();
    if (AS_ROOT && !rootMayMount()) await chmod(folder, 0o711);
    const gateway = await GatewayProcess.start({ npm: true, dataDir: join(folder, 'data') });
    expect((await gateway.api('GET', '/status')).status).toBe(200);
  });

  const describeWithMounts = rootMayMount() ? describe : describe.skip;
  describeWithMounts('that holds the clone and the data', () => {
    async function inFolder(owner: number, privileges: readonly string[]): Promise<GatewayProcessOptions> {
      const folder = await closedFolder(owner);
      const clone = join(folder, 'clone');
      await mkdir(clone);
      const words = ['unshare', '--mount', 'sh', '-c', IN_FOLDER, 'sh', ROOT, clone, ...privileges];
      return {
        dataDir: join(folder, 'data'),
        env: { HOME: folder },
        wrap: (command) => [...words, ...command],
      };
    }

    it.each([
      ['root, by npm start', 0, [], true],
      ['an ordinary user', ORDINARY_USER, AS_ORDINARY_USER, false],
    ])('serves %s', async (_, owner, privileges, npm) => {
      const gateway = await GatewayProcess.start({ ...(await inFolder(owner, privileges)), npm });
      expect((await gateway.api('GET', '/status')).status).toBe(200);
    });

    it('tells root in one line what to do if mounts are not allowed', async () => {
      const gateway = await GatewayProcess.spawn(await inFolder(0, WITHOUT_MOUNTS));
      expect(await gateway.exited).toEqual({ code: 1, signal: null });
      expect(gateway.output.trim().split('\n')).toHaveLength(1);
      expect(gateway.output).toMatch(
        /cannot enter \/.* refuses .*: move the gateway to a folder that .* and set DATA_DIR to .*, or start the gateway as a normal user, or set DATABASE_URL\.$/m,
      );
    });
  });
});
