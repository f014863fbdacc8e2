import type { Command } from 'commander';
import { databaseLog, finishSchema, migrateDatabase } from '../../../core/database/data-source';
import { withContext, type CommandContext } from '../command-context';
import { openOrMakeDatabase } from '../database';
import { examples } from '../help';

export function addMigrateCommand(program: Command): void {
  program
    .command('migrate')
    .description('Run pending database migrations, as a start does')
    .option('--finish', 'also allow several accounts of a platform; older versions can no longer use the database')
    .addHelpText('after', examples('migrate', 'migrate --json', 'migrate --finish'))
    .action(withContext(migrate));
}

async function migrate(
  { configuration, logger, output }: CommandContext,
  { finish = false }: { finish?: boolean },
): Promise<void> {
  const database = await openOrMakeDatabase(configuration, logger);
  try {
    const applied = await migrateDatabase(database.url, databaseLog(logger), 0);
    const isFinished = finish && (await finishSchema(database.url, databaseLog(logger), 0));
    output.result({ applied, ...(finish && { finished: isFinished }) }, [
      applied === 0 ? 'The schema is up to date' : `The schema is up to date: ${applied} migrations were applied`,
      ...(finish
        ? [
            isFinished
              ? 'The schema is finished: a platform can have several accounts'
              : 'The schema was finished already',
          ]
        : []),
    ]);
  } finally {
    await database.close();
  }
}
