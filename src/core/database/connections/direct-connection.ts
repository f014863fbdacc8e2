/** Options of a connection outside the pools. */
export const DIRECT_CONNECTION = { connectionTimeoutMillis: 10_000, keepAlive: true };

/** The address of the database where no pooler stands between: for LISTEN, session locks, migrations and long transactions. */
export class DirectUrl {
  constructor(readonly value: string) {}
}
