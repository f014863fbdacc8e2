import 'reflect-metadata';
import { CommanderError } from 'commander';
import { EXIT, exitCodeOf, linesOf } from './failure';
import { Output } from './output';
import { createProgram } from './program';

/** A reader that stops early (`gateway … | head`) is no fault. */
process.stdout.on('error', (error: NodeJS.ErrnoException) =>
  process.exit(error.code === 'EPIPE' ? EXIT.done : EXIT.failed),
);

createProgram()
  .parseAsync()
  .then(
    () => {
      // `start` keeps running; every other command has closed its resources.
      if (process.exitCode !== undefined) process.exit();
    },
    (error: unknown) => {
      // Commander has already reported a wrong usage, or printed the requested help.
      if (error instanceof CommanderError) process.exit(error.exitCode === 0 ? EXIT.done : EXIT.usage);
      new Output(process.argv.includes('--json')).fail(linesOf(error));
      process.exit(exitCodeOf(error));
    },
  );
