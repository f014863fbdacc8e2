import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Debian's client for the stage's server version. pg_dump refuses a server newer than itself. */
const PG_DUMP = '/usr/lib/postgresql/15/bin/pg_dump';
const PIPELINE = 'set -o pipefail; "$1" --dbname="$2" | zstd --quiet --force -o "$3"';

export interface Dump {
  seconds: number;
  bytes: number;
}

/** `pg_dump | zstd` of a database into a file; undefined where Debian's packages are not installed. */
export async function pgDump(url: string, path: string): Promise<Dump | undefined> {
  if (!existsSync(PG_DUMP) || !existsSync('/usr/bin/zstd')) return undefined;
  const start = performance.now();
  await run('bash', ['-c', PIPELINE, 'bash', PG_DUMP, url, path]);
  return { seconds: (performance.now() - start) / 1_000, bytes: (await stat(path)).size };
}
