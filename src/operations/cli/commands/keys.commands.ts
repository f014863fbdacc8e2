import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { Option, type Command } from 'commander';
import { ENVIRONMENTS, newUuid, SCOPES, type Environment } from '#contracts';
import { ApiKeysService, OPERATOR } from '../../../api-keys/api-keys.service';
import { ApiKeyListQuery, CreateApiKeyDto, RollApiKeyDto } from '../../../api-keys/dto/api-key-request.dto';
import type { CreatedApiKeyDto } from '../../../api-keys/dto/api-key.dto';
import { makeFolder } from '#embedded-postgres';
import { commaSeparated, idOf, validated } from '../arguments';
import { withContext, type CommandContext } from '../command-context';
import { CommandFailure } from '../failure';
import { examples } from '../help';
import { allPages } from '../all-pages';
import { table } from '../output';
import { withServices } from '../services';

interface CreateOptions {
  name: string;
  scopes: string[];
  environment: Environment;
  tier?: string;
  expiresAt?: string;
  allowedIps?: string[];
  show?: true;
}

const SHOW = ['--show', 'print the key even if the output is a pipe or a file'] as const;

export function addKeysCommands(program: Command): void {
  const keys = program.command('keys').description('Create, list, roll and revoke API keys');
  keys
    .command('create')
    .requiredOption('--name <name>', 'name that tells what the key is for')
    .requiredOption('--scopes <scopes>', `comma-separated: ${SCOPES.join(', ')}`, commaSeparated)
    .addOption(
      new Option('--environment <environment>', 'environment that the key may access')
        .choices(ENVIRONMENTS)
        .default('live'),
    )
    .option('--tier <tier>', 'standard, pro or elite')
    .option('--expires-at <time>', 'ISO 8601; default: never')
    .option('--allowed-ips <ranges>', 'comma-separated addresses and CIDR ranges; default: all', commaSeparated)
    .option(...SHOW)
    .description(
      'Create a key and print it once. Without a terminal, it is written to a file that only its owner can read',
    )
    .addHelpText(
      'after',
      examples(
        'keys create --name "Shop" --scopes read:messages,write:messages',
        'keys create --name CI --scopes "*" --environment test --show',
      ),
    )
    .action(withContext(createKey));
  keys
    .command('list')
    .description('List the keys of both environments, newest first')
    .addHelpText('after', examples('keys list', 'keys list --json'))
    .action(withContext(listKeys));
  keys
    .command('roll')
    .argument('<id>', 'key_…')
    .option('--grace-hours <hours>', 'how long the old value still works: 0 to 168', Number, 24)
    .option(...SHOW)
    .description('Give a key a new value under the same id')
    .addHelpText('after', examples('keys roll key_01h455vb4pex5vsknk084sn02q --grace-hours 1'))
    .action(withContext(rollKey));
  keys
    .command('revoke')
    .argument('<id>', 'key_…')
    .option('--yes', 'do not ask')
    .description('Revoke a key; a running gateway refuses it within a second. Asks for confirmation on a terminal')
    .addHelpText('after', examples('keys revoke key_01h455vb4pex5vsknk084sn02q'))
    .action(withContext(revokeKey));
}

async function createKey(context: CommandContext, options: CreateOptions): Promise<void> {
  const { name, scopes, environment, tier, expiresAt, allowedIps, show } = options;
  const body = { name, scopes, environment, tier, expires_at: expiresAt, allowed_ips: allowedIps };
  await makeKey(context, show, (keys, valid) => keys.create(OPERATOR, valid as CreateApiKeyDto), CreateApiKeyDto, body);
}

async function rollKey(
  context: CommandContext,
  id: string,
  { graceHours, show }: { graceHours: number; show?: true },
): Promise<void> {
  const key = idOf('api_key', id);
  await makeKey(
    context,
    show,
    (keys, valid) => keys.roll(OPERATOR, key, (valid as RollApiKeyDto).grace_hours),
    RollApiKeyDto,
    { grace_hours: graceHours },
  );
}

/** Output outside a terminal may be kept and read by others, so the value then goes to a file. */
async function makeKey(
  context: CommandContext,
  show: true | undefined,
  make: (keys: ApiKeysService, valid: object) => Promise<CreatedApiKeyDto>,
  type: new () => object,
  body: object,
): Promise<void> {
  const isShown = show || process.stdout.isTTY;
  let file: KeyFile | undefined;
  let created: CreatedApiKeyDto;
  try {
    created = await withServices(context, async (services) => {
      const valid = await validated(services, type, body);
      // The file is opened before the key is made: a key that cannot be written to it would be lost.
      if (!isShown) file = new KeyFile(context.configuration.dataDir);
      const made = await make(services.get(ApiKeysService), valid);
      // Whatever fails from here on, the key exists: its file must stay.
      file?.keep(made.key);
      return made;
    });
  } catch (error) {
    file?.remove();
    throw error;
  }
  const { key, ...record } = created;
  const { id, name, environment, scopes } = record;
  const shown = file ? `In the file ${file.path}: copy the key, then delete the file` : key;
  context.output.result(file ? { ...record, file: file.path } : created, [
    `${id}  ${name} (${environment}: ${scopes.join(', ')})`,
    shown,
  ]);
}

class KeyFile {
  readonly path: string;
  private readonly descriptor: number;
  private isKept = false;

  constructor(dataDir: string) {
    makeFolder(dataDir);
    this.path = join(dataDir, `key-${newUuid()}`);
    this.descriptor = openSync(this.path, 'wx', 0o600);
  }

  keep(key: string): void {
    writeSync(this.descriptor, `${key}\n`);
    closeSync(this.descriptor);
    this.isKept = true;
  }

  /** Removes the file, unless it holds a key. */
  remove(): void {
    if (this.isKept) return;
    closeSync(this.descriptor);
    rmSync(this.path);
  }
}

async function listKeys(context: CommandContext): Promise<void> {
  const owner = { environment: 'live', scopes: ['*'] } as const;
  const keys = await withServices(context, (services) =>
    allPages((page) => services.get(ApiKeysService).list(owner, Object.assign(new ApiKeyListQuery(), page))),
  );
  const rows = keys.map((key) => [
    key.id,
    key.name,
    key.environment,
    key.status,
    key.masked_key,
    key.scopes.join(','),
    key.last_used_at ?? 'never',
  ]);
  context.output.result(keys, table(['ID', 'NAME', 'ENVIRONMENT', 'STATUS', 'KEY', 'SCOPES', 'LAST USED'], rows));
}

async function revokeKey(context: CommandContext, id: string, { yes }: { yes?: true }): Promise<void> {
  const key = idOf('api_key', id);
  if (!yes && process.stdin.isTTY && !(await agrees(`Revoke ${id}? Its clients are refused immediately [y/N] `))) {
    throw new CommandFailure('Nothing was revoked');
  }
  const revoked = await withServices(context, (services) => services.get(ApiKeysService).revoke(OPERATOR, key));
  context.output.result(revoked, [`${revoked.id} was revoked at ${revoked.revoked_at}`]);
}

async function agrees(question: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await terminal.question(question)).trim());
  } finally {
    terminal.close();
  }
}
