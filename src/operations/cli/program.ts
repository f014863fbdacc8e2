import { Command } from 'commander';
import { loadEnvironment } from '../../core/config/environment-file';
import { VERSION } from '../../core/version';
import { environment } from './command-context';
import { examples } from './help';
import { addBackupCommands } from './commands/backup.commands';
import { addCompletionCommand } from './commands/completion.command';
import { addDoctorCommand } from './commands/doctor.command';
import { addExplainCommand } from './commands/explain.command';
import { addAccountsCommands } from './commands/accounts.commands';
import { addKeysCommands } from './commands/keys.commands';
import { addMigrateCommand } from './commands/migrate.command';
import { addStartCommand } from './commands/start.command';
import { addSettingsCommands } from './commands/settings.commands';
import { addWebhooksCommands } from './commands/webhooks.commands';

const GROUPS: readonly ((program: Command) => void)[] = [
  addStartCommand,
  addKeysCommands,
  addAccountsCommands,
  addMigrateCommand,
  addBackupCommands,
  addSettingsCommands,
  addWebhooksCommands,
  addExplainCommand,
  addDoctorCommand,
  addCompletionCommand,
];

/** The command line: commands parse and print, and the gateway's services do the work. */
export function createProgram(): Command {
  const program = new Command('gateway')
    .description('Runs and maintains the messaging gateway. It reads the same environment variables as the gateway.')
    .version(VERSION)
    .option('--json', 'print one JSON document on stdout and nothing else')
    .option(
      '--env-file <file>',
      'add environment variables from a file, in the format of systemd; default: GATEWAY_ENV_FILE',
    )
    .hook('preAction', (_, command) =>
      loadEnvironment(command.optsWithGlobals<{ envFile?: string }>().envFile, environment()),
    )
    .configureHelp({ showGlobalOptions: true })
    .showSuggestionAfterError()
    .addHelpText(
      'after',
      `\nExit codes: 0 done, 1 failed, 2 wrong usage, 3 doctor found problems\n${examples('backup create', 'keys create --name "Shop" --scopes read:messages,write:messages', 'settings get ai.model')}`,
    );
  // Commands inherit this when they are added.
  program.exitOverride();
  for (const add of GROUPS) add(program);
  return program;
}
