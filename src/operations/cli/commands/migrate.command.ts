import type { Command } from 'commander';
import { databaseLog, migrateDatabase } from '../../../core/database/data-source';
import { withContext, type CommandContext } from '../command-context';
import { openOrMakeDatabase } from '../database';
import { examples } from '../help';

export function addMigrateCommand(program: Command): void {
  program
    .command('migrate')
    .description('Run pending database migrations, as a start does')
    .addHelpText('after', examples('migrate', 'migrate --json'))
    .action(withContext(migrate));
}

async function migrate({ configuration, logger, output }: CommandContext): Promise<void> {
  const database = await openOrMakeDatabase(configuration, logger);
  try {
    const applied = await migrateDatabase(database.url, databaseLog(logger), 0);
    output.result({ applied }, [
      applied === 0 ? 'The schema is up to date' : `The schema is up to date: ${applied} migrations were applied`,
    ]);
  } finally {
    await database.close();
  }
}
