import type { Command } from 'commander';
import type { Environment } from '#contracts';
import { SettingsChangesPipe } from '../../../admin/settings/settings-changes.pipe';
import { isObject } from '../../../core/settings/json-object';
import { SettingsService } from '../../../core/settings/settings.service';
import { withContext, type CommandContext } from '../command-context';
import { CommandFailure, EXIT } from '../failure';
import { environmentOption, examples } from '../help';
import { withServices } from '../services';

interface EnvironmentOption {
  environment: Environment;
}

export function addSettingsCommands(program: Command): void {
  const settings = program.command('settings').description('Read and change the settings of the running gateway');
  settings
    .command('get')
    .argument('[path]', 'dotted path of a setting or group; default: all settings')
    .addOption(environmentOption())
    .description('Print settings')
    .addHelpText(
      'after',
      examples('settings get', 'settings get ai.model', 'settings get --environment test ai --json'),
    )
    .action(withContext(getSettings));
  settings
    .command('set')
    .argument('<path>', 'dotted path of a setting')
    .argument('<json>', 'the value as JSON; a string needs double quotes')
    .addOption(environmentOption())
    .description('Change a setting; a running gateway applies it within a second')
    .addHelpText(
      'after',
      examples(
        'settings set ai.auto_reply false',
        `settings set ai.model '"claude-sonnet-5"'`,
        `settings set ai.budget '{"daily_usd": 20, "monthly_usd": null}'`,
      ),
    )
    .action(withContext(setSetting));
}

async function getSettings(context: CommandContext, path: string | undefined, { environment }: EnvironmentOption) {
  const all = await withServices(context, (services) => services.get(SettingsService).read(environment));
  print(context, path, valueAt(all, path));
}

async function setSetting(context: CommandContext, path: string, json: string, { environment }: EnvironmentOption) {
  const change = path.split('.').reduceRight<unknown>((inner, name) => ({ [name]: inner }), parsed(json));
  const changes = new SettingsChangesPipe().transform(change);
  const all = await withServices(context, (services) => services.get(SettingsService).change(environment, changes));
  print(context, path, valueAt(all, path));
}

function print({ output }: CommandContext, path: string | undefined, value: unknown): void {
  output.result(value, linesOf(path ?? '', value));
}

/** One line for each setting: its path, an equals sign, its value as JSON. */
function linesOf(path: string, value: unknown): string[] {
  if (!isObject(value) || Object.keys(value).length === 0) return [`${path} = ${JSON.stringify(value)}`];
  return Object.entries(value).flatMap(([name, inner]) => linesOf(path === '' ? name : `${path}.${name}`, inner));
}

/** @throws CommandFailure if the path names no setting */
function valueAt(settings: object, path: string | undefined): unknown {
  let value: unknown = settings;
  for (const name of path?.split('.') ?? []) {
    if (!isObject(value) || !Object.hasOwn(value, name)) throw new CommandFailure(`Unknown setting ${path}`);
    value = value[name];
  }
  return value;
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json) as unknown;
  } catch {
    throw new CommandFailure(`${json} is not JSON; a string needs quotes: '"${json}"'`, EXIT.usage);
  }
}
