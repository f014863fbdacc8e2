import { spawnSync } from 'node:child_process';

const isInstalled = spawnSync('promtool', ['--version']).status === 0;
if (!isInstalled) process.stderr.write('SKIPPED: no promtool on PATH; install the package prometheus\n');

/** As `it`. On a machine without promtool it says so loudly and skips. */
export const itWithPromtool = isInstalled ? it : it.skip;

/** @returns what it says. @throws with what it says, if it finds a fault */
export function promtool(args: readonly string[], input = ''): string {
  const { status, stdout, stderr } = spawnSync('promtool', args, { input, encoding: 'utf8' });
  if (status !== 0) throw new Error(`promtool ${args.join(' ')}\n${stdout}${stderr}`);
  return stdout + stderr;
}
