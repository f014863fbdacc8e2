import { ConfigurationError } from '../../core/config/configuration';

/** Exit codes of commands. */
export const EXIT = { done: 0, failed: 1, usage: 2, faultsFound: 3 } as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** A command cannot do its work; the message is one plain line for the operator. */
export class CommandFailure extends Error {
  constructor(
    message: string,
    readonly exitCode: ExitCode = EXIT.failed,
  ) {
    super(message);
  }
}

/** The lines that tell an operator what went wrong: no stack, and one line, except for faults of the configuration. */
export function linesOf(error: unknown): string[] {
  if (error instanceof ConfigurationError)
    return ['The configuration is not valid:', ...error.faults.map((fault) => `  ${fault}`)];
  const { message, code } = error as NodeJS.ErrnoException;
  const text = message || code || String(error);
  const lines = text.split('\n').map((line) => line.trim());
  return [lines.filter((line) => line !== '').join(' · ')];
}

export function exitCodeOf(error: unknown): ExitCode {
  return error instanceof CommandFailure ? error.exitCode : EXIT.failed;
}
