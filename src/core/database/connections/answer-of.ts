import type { ClientBase, QueryConfig, QueryResult, QueryResultRow } from 'pg';

/** As a client's own promise, which would outlive every scavenge, with all that waits for it (ADR 29). The pool's does not. */
export function answerOf<Row extends QueryResultRow>(
  client: ClientBase,
  asked: QueryConfig,
): Promise<QueryResult<Row>> {
  return new Promise<QueryResult<Row>>((resolve, reject) => {
    client.query<Row>(asked, (error, result) => (error ? reject(error) : resolve(result)));
  }).catch(rethrow);
}

/** With the stack of whoever waits: the error's own begins at a socket. */
function rethrow(error: Error): never {
  Error.captureStackTrace(error);
  throw error;
}
