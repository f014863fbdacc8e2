import { firstIdOf } from '../../../src/core/events/id-times';
import { withClient } from '../stage';

const DAY_MS = 86_400_000;

/** Age of the rows that retention deletes in batches: too old to keep, in a partition that is too recent to drop. */
export const BATCHED_DAYS = 95;

/** `from` and `until` are days before now. */
interface OldPartition {
  name: string;
  from: number | null;
  until: number;
}
/** All of its rows are older than the retention time. */
const DROPPED: OldPartition = { name: 'old', from: null, until: 100 };
/** It ends within the retention time of events, before the current partition. */
const BATCHED: OldPartition = { name: 'mixed', from: 100, until: 29 };

/** SQL: a UUIDv7 of the time `ms`, in milliseconds. */
const ID = `encode(substring(int8send(ms) FROM 3) || substring(uuid_send(gen_random_uuid()) FROM 7), 'hex')::uuid`;
const AT = `to_timestamp(ms / 1000.0)`;

const TABLES = {
  audit_log: `(id, environment, api_key_id, masked_key, method, path, route, client_ip, status, request_id, duration_ms, created_at)
    SELECT ${ID}, 'live', '01a21c70-dcb0-7bfc-9d81-e92b1e1c2e7f', 'service_sk_live_…KT7w', 'POST', '/api/v1/messages/send',
      '/api/v1/messages/send', '192.0.2.7', 200, ${ID}, 12.5, ${AT}`,
  events: `(id, environment, type, body, created_at, conversation_id, message_id)
    SELECT ${ID}, 'live', 'message.sent', '{"data":{"content":"' || repeat('x', 450) || '"}}', ${AT}, gen_random_uuid(), ${ID}`,
};

const firstId = (days: number): string => firstIdOf(new Date(Date.now() - days * DAY_MS));

/**
 * Creates old partitions of the audit log and of events, and detaches them, so that the gateway does not see them yet. The
 * gateway creates the current partitions itself.
 * @returns SQL that attaches the old ones
 */
export async function fillOldPartitions(databaseUrl: string, rows: number): Promise<string> {
  return withClient(databaseUrl, async (client) => {
    await client.query(`SET synchronous_commit = off; SET maintenance_work_mem = '512MB'`);
    const shows: string[] = [];
    for (const [table, columns] of Object.entries(TABLES)) {
      const { rows: first } = await client.query<{ name: string }>(
        `SELECT inhrelid::regclass::text AS name FROM pg_inherits
         WHERE inhparent = '${table}'::regclass AND inhrelid <> '${table}_other'::regclass`,
      );
      for (const { name } of first) await client.query(`DROP TABLE ${name}`);
      for (const { name: suffix, from, until } of [DROPPED, BATCHED]) {
        const name = `${table}_${suffix}`;
        const [start, end] = [from === null ? 'MINVALUE' : `'${firstId(from)}'`, `'${firstId(until)}'`];
        const bound = from === null ? `id < ${end}` : `id >= ${start} AND id < ${end}`;
        const [newest, count] = from === null ? [until + 1, rows] : [BATCHED_DAYS, Math.round(rows / 10)];
        await client.query(`CREATE TABLE ${name} (LIKE ${table} INCLUDING DEFAULTS INCLUDING STORAGE)`);
        await client.query(
          `INSERT INTO ${name} ${columns}
           FROM (SELECT ($1 - $2 * (1 - i / $3::float8))::bigint AS ms FROM generate_series(1, $3::integer) i) generated`,
          [Date.now() - newest * DAY_MS, DAY_MS, count],
        );
        // With the CHECK and the indexes in place, a later ATTACH takes no time: PostgreSQL validates and indexes the rows now.
        await client.query(`ALTER TABLE ${name} ADD CHECK (${bound})`);
        const show = `ALTER TABLE ${table} ATTACH PARTITION ${name} FOR VALUES FROM (${start}) TO (${end})`;
        await client.query(`${show}; ALTER TABLE ${table} DETACH PARTITION ${name}; ANALYZE ${name}`);
        shows.push(show);
      }
    }
    return shows.join('; ');
  });
}

/** SQL: whether retention has removed every old row. */
export const OLD_ROWS_GONE = `
  SELECT to_regclass('audit_log_old') IS NULL AND to_regclass('events_old') IS NULL
    AND NOT EXISTS (SELECT FROM audit_log_mixed) AND NOT EXISTS (SELECT FROM events_mixed) AS gone`;
