import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileSource } from '../../src/operations/backups/archive/backup-source';
import { readBackup } from '../../src/operations/backups/archive/backup-reader';
import { withClient } from './postgres';
import { runCommand, startCommand } from './command';

/** Inserts messages that compress badly, so that a backup takes some hundred milliseconds. */
export async function fillDatabase(url: string, messages = 60_000): Promise<void> {
  await withClient(url, async (client) => {
    await client.query(
      `INSERT INTO conversations (id, environment, platform, participant_id, created_at, last_message_at)
       VALUES ('01900000-0000-7000-8000-000000000001', 'live', 'telegram', '1', now(), now())`,
    );
    await client.query(
      `INSERT INTO messages (id, environment, conversation_id, seq, platform, direction, content, status, created_at)
       SELECT gen_random_uuid(), 'live', '01900000-0000-7000-8000-000000000001', n, 'telegram', 'inbound',
         repeat(md5(n::text) || md5((n + 1)::text), 4), 'received', now() FROM generate_series(1, $1::integer) n`,
      [messages],
    );
  });
}

export interface KillOptions {
  databaseUrl: string;
  directory: string;
  kills: number;
  /** From 0 to 1. */
  random: () => number;
}

/**
 * Kills backup processes at random moments between their first byte and their end. A file without `.partial` must verify,
 * and the next backup must remove the files of the killed processes.
 * @returns how many processes died before their file was complete
 */
export async function killBackups({ databaseUrl, directory, kills, random }: KillOptions): Promise<number> {
  const env = { DATABASE_URL: databaseUrl, BACKUP_DIR: directory, DATA_DIR: directory, BACKUP_KEEP: '1' };
  const wholeMs = await millisecondsOf(env, directory);
  let unfinished = 0;
  for (let kill = 0; kill < kills; kill++) {
    const { child, ended } = await startedBackup(env, directory);
    await sleep(((kill + random()) / kills) * wholeMs);
    child.kill('SIGKILL');
    await ended;
    const files = await filesIn(directory);
    unfinished += files.filter(isPartial).length;
    for (const name of files.filter((file) => !isPartial(file))) await readBackup(fileSource(join(directory, name)));
  }
  const last = await runCommand(env, 'backup', 'create', '--json');
  if (last.code !== 0) throw new Error(`The backup after the kills failed: ${last.stderr}`);
  const left = await filesIn(directory);
  const { id } = JSON.parse(last.stdout) as { id: string };
  if (left.length !== 1 || !left[0]!.includes(id)) throw new Error(`Left behind: ${left.join(', ')}`);
  return unfinished;
}

/** @returns a backup process that has begun its file or has ended */
async function startedBackup(env: NodeJS.ProcessEnv, directory: string) {
  const before = new Set(await filesIn(directory));
  const child = startCommand(env, 'backup', 'create');
  const ended = new Promise((resolve) => child.once('close', resolve));
  const isNew = (name: string) => isPartial(name) && !before.has(name);
  while (child.exitCode === null && !(await filesIn(directory)).some(isNew)) await sleep(2);
  return { child, ended };
}

/** How long a backup takes from its first byte to the end of its process. */
async function millisecondsOf(env: NodeJS.ProcessEnv, directory: string): Promise<number> {
  const { ended } = await startedBackup(env, directory);
  const start = performance.now();
  await ended;
  return performance.now() - start;
}

function isPartial(name: string): boolean {
  return name.endsWith('.partial');
}

async function filesIn(directory: string): Promise<string[]> {
  return (await readdir(directory)).filter((name) => name.startsWith('gateway-'));
}
