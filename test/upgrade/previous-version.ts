import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { makePassableFolder } from '../support/passable-folder';

const ROOT = join(__dirname, '../..');
/** The commit of 1.0.0, until a tag names it: the first version that supports rolling upgrades. */
const FIRST = 'c73d28a';

interface Manifest {
  dependencies: Record<string, string>;
}

/** The newest version before this tree: the latest tag among its ancestors, or `FIRST`. */
function previousVersion(): string {
  const tag = git('describe', '--tags', '--abbrev=0', '--match', 'v*', 'HEAD^');
  return tag.status === 0 ? tag.stdout.trim() : FIRST;
}

/** Whether this clone can build the previous version. If not, says once that the tests are left out. */
export function hasPreviousVersion(): boolean {
  const version = previousVersion();
  const isThere = git('cat-file', '-e', `${version}^{commit}`).status === 0;
  if (!isThere)
    process.stderr.write(`\n*** This clone has no commit ${version}: the tests of the upgrade are LEFT OUT ***\n\n`);
  return isThere;
}

/** @returns the folder of the built previous version; the caller deletes it */
export async function buildPreviousVersion(): Promise<string> {
  const folder = await makePassableFolder('gateway-test-previous-');
  const files = execFileSync('git', ['archive', previousVersion()], { cwd: ROOT, maxBuffer: 256 * 1024 * 1024 });
  execFileSync('tar', ['-x', '-C', folder], { input: files });
  // Shares our packages, unless one has changed since.
  if (sharesPackagesOf(folder)) symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  else execFileSync('npm', ['ci', '--no-audit', '--no-fund', '--prefer-offline'], { cwd: folder, stdio: 'inherit' });
  // 1.0.0 keeps it in bin.
  const transpile = ['scripts', 'bin']
    .map((name) => `${name}/transpile.mjs`)
    .find((path) => existsSync(join(folder, path)));
  execFileSync(process.execPath, [transpile!], { cwd: folder, stdio: 'inherit' });
  return folder;
}

function sharesPackagesOf(folder: string): boolean {
  const [theirs, ours] = [folder, ROOT].map(
    (root) => (JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest).dependencies,
  );
  return Object.entries(theirs!).every(([name, version]) => ours![name] === version);
}

function git(...words: string[]) {
  return spawnSync('git', words, { cwd: ROOT, encoding: 'utf8' });
}
