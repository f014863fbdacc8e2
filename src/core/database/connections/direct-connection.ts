/** Options of a connection outside the pools. */
export const DIRECT_CONNECTION = { connectionTimeoutMillis: 10_000, keepAlive: true };

/** URL of the database without a pooler: for LISTEN, session locks, migrations and long transactions. */
export class DirectUrl {
  constructor(readonly value: string) {}
}
