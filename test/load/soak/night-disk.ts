import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Goal } from '../goals';
import { sizesOf } from '../growth/table-sizes';
import { withClient } from '../stage';

/** Bytes of a row with its indexes, as docs/growth.md says; the deliveries of a dispatch count with it. */
const ROW_BYTES = { messages: 572, events: 671, audit_log: 391, webhook_dispatches: 750 };
/** Tables that docs/growth.md does not name, and space that waits for autovacuum, beside those that it names. */
const REST = 1.25;

/** The disk at one time. */
export interface Disk {
  tables: ReadonlyMap<string, number>;
  rows: ReadonlyMap<string, number>;
  messages: number;
  /** Bytes of the attachments that are stored, and of the files of the media folder. */
  attachments: number;
  media: number;
}

export async function diskOf(databaseUrl: string, mediaDirectory: string): Promise<Disk> {
  const tables = new Map((await sizesOf(databaseUrl)).map(({ name, bytes }) => [name, bytes]));
  return withClient(databaseUrl, async (client) => {
    const numberOf = async (sql: string) => Number((await client.query<{ n: string | null }>(sql)).rows[0]!.n ?? 0);
    const rows = new Map<string, number>();
    for (const name of Object.keys(ROW_BYTES)) rows.set(name, await numberOf(`SELECT count(*) AS n FROM ${name}`));
    const attachments = await numberOf(
      `SELECT sum(size_bytes) AS n FROM (SELECT DISTINCT sha256, size_bytes FROM attachments WHERE status = 'stored') files`,
    );
    return { tables, rows, messages: rows.get('messages')!, attachments, media: bytesIn(join(mediaDirectory, 'live')) };
  });
}

/** Prints what grew, by table. @returns whether it is what docs/growth.md promises for the rows that were added */
export function diskGoals(early: Disk, late: Disk): Goal[] {
  const messages = late.messages - early.messages;
  const grown = [...late.tables].map(([name, bytes]) => ({ name, bytes: bytes - (early.tables.get(name) ?? 0) }));
  console.log(`  disk, bytes for each of ${messages.toLocaleString('en')} messages, with indexes`);
  for (const { name, bytes } of grown.toSorted((one, other) => other.bytes - one.bytes)) {
    if (bytes / messages >= 1)
      console.log(`    ${name.padEnd(24)} ${Math.round(bytes / messages).toLocaleString('en')}`);
  }
  const promised = Object.entries(ROW_BYTES).reduce(
    (sum, [name, bytes]) => sum + bytes * (late.rows.get(name)! - early.rows.get(name)!),
    0,
  );
  const actual = grown.reduce((sum, { bytes }) => sum + bytes, 0);
  return [
    {
      name: `tables grow by at most ${REST} × what docs/growth.md says`,
      met: actual <= promised * REST,
      figure: `${inMb(promised)} promised, ${inMb(actual)} grown (${(actual / promised).toFixed(2)} ×)`,
    },
    {
      name: 'the media folder holds the stored attachments and nothing else',
      met: late.media === late.attachments && late.media > 0,
      figure: `${late.attachments} bytes stored, ${late.media} in the folder`,
    },
  ];
}

const inMb = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

function bytesIn(directory: string): number {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}
