import { spawnSync } from 'node:child_process';

const isInstalled = spawnSync('promtool', ['--version']).status === 0;
if (!isInstalled) process.stderr.write('SKIPPED: no promtool on PATH; install the package prometheus\n');

/** Like `it`, but skipped on a machine without promtool, with a line on stderr. */
export const itWithPromtool = isInstalled ? it : it.skip;

/** @returns its output. @throws with its output, if promtool finds a fault */
export function promtool(args: readonly string[], input = ''): string {
  const { status, stdout, stderr } = spawnSync('promtool', args, { input, encoding: 'utf8' });
  if (status !== 0) throw new Error(`promtool ${args.join(' ')}\n${stdout}${stderr}`);
  return stdout + stderr;
}
