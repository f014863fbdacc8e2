import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { Client } from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { withClient } from '../stage';

interface Columns {
  name: string;
  columns: readonly string[];
}

const PRIMARY_KEY = `
  SELECT string_agg(quote_ident(attname), ', ' ORDER BY array_position(indkey::int2[], attnum)) AS columns
  FROM pg_index JOIN pg_attribute ON attrelid = indrelid AND attnum = ANY (indkey) WHERE indisprimary AND indrelid = $1::regclass`;

/** Table name → SHA-256 of its rows in primary key order. */
export async function checksumsOf(url: string, tables: readonly Columns[]): Promise<Map<string, string>> {
  return withClient(url, async (client) => {
    const checksums = new Map<string, string>();
    for (const table of tables) checksums.set(table.name, await checksumOf(client, table));
    return checksums;
  });
}

async function checksumOf(client: Client, { name, columns }: Columns): Promise<string> {
  const { rows } = await client.query<{ columns: string | null }>(PRIMARY_KEY, [name]);
  const order = rows[0]!.columns;
  if (!order) throw new Error(`${name} has no primary key`);
  const list = columns.map((column) => `"${column}"`).join(', ');
  const query = copyTo(`COPY (SELECT ${list} FROM "${name}" ORDER BY ${order}) TO STDOUT`);
  const hash = createHash('sha256');
  for await (const chunk of client.query(query) as Readable as AsyncIterable<Buffer>) hash.update(chunk);
  return hash.digest('hex');
}
