import type { INestApplicationContext } from '@nestjs/common';
import type { Command } from 'commander';
import { PLATFORMS, toPublicId, type Environment } from '#contracts';
import { AccountStore } from '../../../accounts/account-store.service';
import { Accounts } from '../../../accounts/accounts.service';
import type { AccountEntity } from '../../../accounts/entities/account.entity';
import { idOf } from '../arguments';
import { withContext, type CommandContext } from '../command-context';
import { CommandFailure } from '../failure';
import { environmentOption, examples } from '../help';
import { table } from '../output';
import { withServices } from '../services';

interface EnvironmentOption {
  environment: Environment;
}

const AN_ID = ['<id>', 'acc_…'] as const;
const SAMPLE = 'acc_01h455vb4pex5vsknk084sn02q';

export function addAccountsCommands(program: Command): void {
  const accounts = program.command('accounts').description('List, enable, disable and delete accounts of platforms');
  accounts
    .command('list')
    .addOption(environmentOption())
    .description('List the accounts')
    .addHelpText('after', examples('accounts list', 'accounts list --environment test --json'))
    .action(withContext(listAccounts));
  accounts
    .command('enable')
    .argument(...AN_ID)
    .addOption(environmentOption())
    .description('Connect an account again')
    .addHelpText('after', examples(`accounts enable ${SAMPLE}`))
    .action(withContext((context, id: string, options: EnvironmentOption) => setEnabled(context, id, options, true)));
  accounts
    .command('disable')
    .argument(...AN_ID)
    .addOption(environmentOption())
    .description('Disconnect an account')
    .addHelpText('after', examples(`accounts disable ${SAMPLE}`))
    .action(withContext((context, id: string, options: EnvironmentOption) => setEnabled(context, id, options, false)));
  accounts
    .command('delete')
    .argument(...AN_ID)
    .addOption(environmentOption())
    .description('Delete an account; its conversations stay')
    .addHelpText('after', examples(`accounts delete ${SAMPLE}`))
    .action(withContext(deleteAccount));
}

async function listAccounts(context: CommandContext, { environment }: EnvironmentOption): Promise<void> {
  const accounts = await withAccounts(context, (services) =>
    PLATFORMS.flatMap((platform) => services.get(Accounts).of({ environment, platform })),
  );
  const shown = accounts.map(({ id, platform, name, source, enabled }) => ({
    id: toPublicId('account', id),
    platform,
    name,
    source,
    enabled,
  }));
  const rows = shown.map(({ id, platform, name, source, enabled }) => [
    id,
    platform,
    name,
    source,
    enabled ? 'yes' : 'no',
  ]);
  context.output.result(shown, table(['ID', 'PLATFORM', 'NAME', 'SOURCE', 'ENABLED'], rows));
}

async function setEnabled(
  context: CommandContext,
  id: string,
  { environment }: EnvironmentOption,
  enabled: boolean,
): Promise<void> {
  const { name } = await withAccounts(context, (services) =>
    services.get(AccountStore).update(ofApi(services, environment, id), { enabled }),
  );
  context.output.result({ id, enabled }, [`${name} is ${enabled ? 'enabled' : 'disabled'}`]);
}

async function deleteAccount(context: CommandContext, id: string, { environment }: EnvironmentOption): Promise<void> {
  await withAccounts(context, (services) => services.get(AccountStore).delete(ofApi(services, environment, id)));
  context.output.result({ id, deleted: true }, [`${id} is deleted`]);
}

function withAccounts<T>(
  context: CommandContext,
  work: (services: INestApplicationContext) => T | Promise<T>,
): Promise<T> {
  return withServices(context, async (services) => {
    await services.get(Accounts).reload();
    return work(services);
  });
}

/** @throws CommandFailure */
function ofApi(services: INestApplicationContext, environment: Environment, id: string): AccountEntity {
  const account = services.get(Accounts).byId(environment, idOf('account', id));
  if (!account) throw new CommandFailure(`No account ${id} exists in the environment ${environment}`);
  if (account.source === 'environment')
    throw new CommandFailure('The account comes from variables of the environment: change them instead');
  return account;
}
