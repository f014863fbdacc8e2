import 'reflect-metadata';
import { CommanderError } from 'commander';
import { EXIT, exitCodeOf, linesOf } from './failure';
import { Output } from './output';
import { createProgram } from './program';

/** A reader that has seen enough (`gateway … | head`) is no fault. */
process.stdout.on('error', (error: NodeJS.ErrnoException) =>
  process.exit(error.code === 'EPIPE' ? EXIT.done : EXIT.failed),
);

createProgram()
  .parseAsync()
  .then(
    () => {
      // `start` goes on; every other command has closed what it opened.
      if (process.exitCode !== undefined) process.exit();
    },
    (error: unknown) => {
      // Commander has told of a wrong usage, and printed the help that was asked for.
      if (error instanceof CommanderError) process.exit(error.exitCode === 0 ? EXIT.done : EXIT.usage);
      new Output(process.argv.includes('--json')).fail(linesOf(error));
      process.exit(exitCodeOf(error));
    },
  );
