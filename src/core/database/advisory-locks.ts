import { setTimeout as sleep } from 'node:timers/promises';

/** Pause before a lock of a session is asked for again, in milliseconds. */
const LOCK_AGAIN_MS = 100;

/** The advisory locks of the gateway, by their number in the database. Each purpose has its own. */
export const ADVISORY_LOCKS = {
  migrations: 7_246_001,
  firstKeys: 7_246_002,
  apiKeys: 7_246_004,
  backups: 7_246_010,
  conversationSearch: 7_246_016,
  webhooks: 7_246_041,
  replays: 7_246_042,
  partitions: 7_246_043,
  mediaOfPerson: 7_246_044,
  tools: 7_246_046,
  accounts: 7_246_047,
  /** A trigger of `conversations` takes it too. */
  participants: 7_246_045,
} as const;

type AdvisoryLock = keyof typeof ADVISORY_LOCKS;

interface Client {
  query(text: string, values?: unknown[]): Promise<unknown>;
}

/** Waits for a lock that PostgreSQL releases at the end of the client's transaction. */
export async function lockForTransaction(client: Client, lock: AdvisoryLock): Promise<void> {
  await client.query(`SELECT pg_advisory_xact_lock(${ADVISORY_LOCKS[lock]})`);
}

/** The same for one of the locks of a purpose. @param name two names may share a lock */
export async function lockNameForTransaction(client: Client, lock: AdvisoryLock, name: string): Promise<void> {
  await client.query(`SELECT pg_advisory_xact_lock(${ADVISORY_LOCKS[lock]}, hashtext($1))`, [name]);
}

/**
 * Waits for a lock that PostgreSQL releases at the end of the client's session. Unsafe behind a pooler in transaction mode. It asks
 * again and again: the holder may build an index concurrently, which waits for every statement that is older, also one that waits.
 */
export async function lockForSession(client: Client, lock: AdvisoryLock): Promise<void> {
  const text = `SELECT pg_try_advisory_lock(${ADVISORY_LOCKS[lock]}) AS locked`;
  while (!((await client.query(text)) as { locked: boolean }[])[0]!.locked) await sleep(LOCK_AGAIN_MS);
}

/**
 * SQL that takes one of two locks of a purpose without waiting; true if the transaction got one.
 * @param first number of the first lock; the second has the next number
 */
export function triesOneOfTwo(lock: AdvisoryLock, first: number): string {
  const tries = (number: number) => `pg_try_advisory_xact_lock(${ADVISORY_LOCKS[lock]}, ${number})`;
  return `CASE WHEN ${tries(first)} THEN true ELSE ${tries(first + 1)} END`;
}

/** Takes a lock until the end of the client's transaction, without waiting. @returns whether it was free */
export async function tryLockForTransaction(client: Client, lock: AdvisoryLock): Promise<boolean> {
  const text = `SELECT pg_try_advisory_xact_lock(${ADVISORY_LOCKS[lock]}) AS locked`;
  const [row] = (await client.query(text)) as { locked: boolean }[];
  return row!.locked;
}
