/** Of a connection that is no part of a pool. */
export const DIRECT_CONNECTION = { connectionTimeoutMillis: 10_000, keepAlive: true };
