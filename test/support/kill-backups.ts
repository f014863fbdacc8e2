import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readBackup } from '../../src/admin/backups/archive/backup-reader';
import { withClient } from './postgres';
import { runCommand, startCommand } from './command';

/** Messages whose backup takes some hundred milliseconds: their texts do not compress. */
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
 * Kills processes while they make backups, at random moments after the first byte is written. A file without `.partial`
 * must verify; what the killed ones left goes with the next backup.
 * @returns how many were killed before their file was whole
 */
export async function killBackups({ databaseUrl, directory, kills, random }: KillOptions): Promise<number> {
  const env = { DATABASE_URL: databaseUrl, BACKUP_DIR: directory, DATA_DIR: directory };
  let unfinished = 0;
  for (let kill = 0; kill < kills; kill++) {
    const child = startCommand(env, 'backup', 'create');
    const ended = new Promise((resolve) => child.once('close', resolve));
    while (child.exitCode === null && !(await filesIn(directory)).some((name) => name.endsWith('.partial')))
      await sleep(2);
    await sleep(random() * 250);
    child.kill('SIGKILL');
    await ended;
    const files = await filesIn(directory);
    unfinished += files.filter((name) => name.endsWith('.partial')).length;
    for (const name of files.filter((file) => !file.endsWith('.partial')))
      await readBackup(join(directory, name), undefined);
  }
  const last = await runCommand(env, 'backup', 'create', '--json');
  if (last.code !== 0) throw new Error(`The backup after the kills failed: ${last.stderr}`);
  const left = await filesIn(directory);
  if (left.some((name) => name.endsWith('.partial'))) throw new Error(`Left behind: ${left.join(', ')}`);
  return unfinished;
}

async function filesIn(directory: string): Promise<string[]> {
  return (await readdir(directory)).filter((name) => name.startsWith('gateway-'));
}
