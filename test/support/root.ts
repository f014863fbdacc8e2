import { spawnSync } from 'node:child_process';

export const AS_ROOT = process.getuid?.() === 0;

let mounting: boolean | undefined;

/**
 * Whether this process is root and may mount; most containers refuse mounts even to root. If not, prints once that the
 * tests of root in a closed folder are skipped.
 */
export function rootMayMount(): boolean {
  if (mounting !== undefined) return mounting;
  mounting = AS_ROOT && spawnSync('unshare', ['--mount', 'true']).status === 0;
  if (!mounting)
    process.stderr.write(
      '\n*** Not root with the right to mount: the tests of root in a closed folder are LEFT OUT ***\n\n',
    );
  return mounting;
}
