import { Option } from 'commander';
import { ENVIRONMENTS } from '#contracts';

/** Examples at the end of a command's help. */
export function examples(...lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  $ gateway ${line}`).join('\n')}`;
}

/** The option that selects the environment whose data a command works on. */
export function environmentOption(): Option {
  return new Option('--environment <environment>', 'whose data').choices(ENVIRONMENTS).default('live');
}
