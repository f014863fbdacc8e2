import { execFileSync } from 'node:child_process';
import { delimiter, join } from 'node:path';

const major = (version: string) => version.replace(/^v?(\d+).*$/s, '$1');

/** The path of a `node` of this major version: the one that runs the tests, or another on the PATH. */
export function nodeOnMachine(wanted: number): string | undefined {
  if (major(process.version) === String(wanted)) return process.execPath;
  const candidates = (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, 'node'));
  return candidates.find((node) => major(outputOf(node, '--version')) === String(wanted));
}

/** Whether npm can download this version of the package `node`. */
export function isNodeOnRegistry(wanted: number): boolean {
  return outputOf('npm', 'view', `node@${wanted}`, 'version', '--fetch-retries=0', '--fetch-timeout=5000') !== '';
}

function outputOf(program: string, ...args: string[]): string {
  try {
    return execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  } catch {
    return '';
  }
}
