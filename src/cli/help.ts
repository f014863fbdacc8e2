import { Option } from 'commander';
import { ENVIRONMENTS } from '#contracts';

/** Examples at the end of a command's help. */
export function examples(...lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  $ gateway ${line}`).join('\n')}`;
}

/** Which keys' data a command works on. */
export function environmentOption(): Option {
  return new Option('--environment <environment>', 'whose data').choices(ENVIRONMENTS).default('live');
}
