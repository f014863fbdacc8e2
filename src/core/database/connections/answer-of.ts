import type { ClientBase, QueryConfig, QueryResult, QueryResultRow } from 'pg';

/** Replaces the client's own promise, which survives every scavenge together with its callers (ADR 29). The pool's does not. */
export function answerOf<Row extends QueryResultRow>(
  client: ClientBase,
  asked: QueryConfig,
  values?: readonly unknown[],
): Promise<QueryResult<Row>> {
  return new Promise<QueryResult<Row>>((resolve, reject) => {
    // With values and a callback, its declarations know only a text.
    client.query<Row>(asked as unknown as string, values as unknown[], (error, result) =>
      error ? reject(error) : resolve(result),
    );
  }).catch(rethrow);
}

/** Sets the stack of the caller: the error's own stack begins at a socket. */
function rethrow(error: Error): never {
  Error.captureStackTrace(error);
  throw error;
}
