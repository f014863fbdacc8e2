import { cpSync, existsSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { codeOf } from '#embedded-postgres';
import { makePassableFolder } from './passable-folder';
import { startPostgres } from './postgres-server';

/** A database with the schema and no rows. No client may stay connected to it: CREATE DATABASE would refuse to copy it. */
export const MIGRATED = 'migrated';

const QUIET = { info: () => undefined, warn: () => undefined };

/**
 * Fills an empty data directory with a cluster that has the database `MIGRATED`. To make a cluster takes a second, mostly
 * for initdb; to copy it takes 50 ms. So the first spec file that needs one makes it, and all copy it.
 */
export async function copyTemplate(dataDir: string): Promise<void> {
  cpSync(await template(), dataDir, { recursive: true });
}

/** @returns a data directory whose server has stopped */
async function template(): Promise<string> {
  // template-setup.cjs sets it for this run of Jest.
  const directory = process.env['TEST_CLUSTERS_DIR']!;
  const finished = join(directory, 'finished');
  if (existsSync(finished)) return finished;
  const unfinished = await makePassableFolder('unfinished-', directory);
  await make(unfinished);
  try {
    await rename(unfinished, finished);
  } catch (error) {
    // Another worker finished first: rename(2) does not replace a directory that is not empty.
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
    // Imported here, so that only the spec that makes the template loads TypeORM and every migration.
    const { migrateDatabase } = await import('../../src/core/database/data-source.js');
    await migrateDatabase(url.href, QUIET);
  } finally {
    await server.stop();
  }
}
