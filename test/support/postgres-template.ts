import { cpSync, existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { codeOf } from '#embedded-postgres';
import { startPostgres } from './postgres-server';

/** A database that has the schema and no row. No client ever connects to it: CREATE DATABASE would refuse. */
export const MIGRATED = 'migrated';

const QUIET = { info: () => undefined, warn: () => undefined };

/**
 * Fills an empty data directory with a cluster that has the database `MIGRATED`. Making one takes a second, most of it
 * initdb, a copy a twentieth of that; so the first spec file of a run that wants one makes it, and the others copy it.
 */
export async function copyTemplate(dataDir: string): Promise<void> {
  cpSync(await template(), dataDir, { recursive: true });
}

/** @returns a data directory whose server has stopped */
async function template(): Promise<string> {
  // Of this run of Jest, see template-setup.cjs.
  const directory = process.env['TEST_TEMPLATE_DIR']!;
  const finished = join(directory, 'finished');
  if (existsSync(finished)) return finished;
  await mkdir(directory, { recursive: true });
  const unfinished = await mkdtemp(join(directory, 'unfinished-'));
  // See passable-folder.ts.
  for (const folder of [directory, unfinished]) await chmod(folder, 0o711);
  await make(unfinished);
  try {
    await rename(unfinished, finished);
  } catch (error) {
    // Another worker was as early, and finished first: rename(2) replaces no directory that holds something.
    if (!['ENOTEMPTY', 'EEXIST'].includes(codeOf(error) ?? '')) throw error;
  }
  return finished;
}

async function make(dataDir: string): Promise<void> {
  const server = await startPostgres(dataDir);
  try {
    const client = new Client(server.url);
    await client.connect();
    await client.query(`CREATE DATABASE ${MIGRATED}`);
    await client.end();
    const url = new URL(server.url);
    url.pathname = `/${MIGRATED}`;
    // Loads TypeORM and every migration, for the one spec of a run that makes the template.
    const { migrateDatabase } = await import('../../src/core/database/data-source.js');
    await migrateDatabase(url.href, QUIET);
  } finally {
    await server.stop();
  }
}
