import type { SourceFile } from './source-rules';

/*
 * How many mechanisms the server has. `npm test -- test/architecture/mechanism-counts` prints them.
 *
 * - A line of the server is a line of `src` or `libs`, without specs, fixtures, generated types, the client and the dashboard.
 * - A lease is a file outside `core/database` that gives a row to one holder for a time: it writes the end of a lease that begins
 *   now (`leaseOf`).
 * - A wake-up notifies a waiting process before its next poll: a topic of PostgreSQL's LISTEN that a file subscribes to
 *   (`listener.on`), or a class that passes signals on through a queue (`signal-*.ts`). All state in memory that is
 *   reloaded after a change (`listener.follow`) counts as one.
 * - A timer is a `setInterval` of the server outside `core/work`, or a module's own `setTimeout` whose callback sets it
 *   again. A timeout for one call does not count, nor does a use of `repeat` or `Timers.every`.
 * - A batcher is a `new Batcher`, a cache a `new LRUCache`.
 * - A switch turns a check of types or of the linter off where it stands: `as never`, `as any`, `@ts-…`, `…lint-disable`.
 * - A file with SQL holds the text of a statement, and is neither a `.rows.ts` nor a migration.
 */

const SERVER = /^(?:src|libs\/(?!client\/|dashboard\/))/;
const APART = /[.](?:spec|fixture)[.]ts$|^libs\/client\/api-types[.]ts$/;
const STATEMENT = /\b(?:SELECT|INSERT INTO|UPDATE \w+ SET|DELETE FROM)\b/;

/** The places of each mechanism, by its name. */
export function mechanismCounts(files: readonly SourceFile[]): Record<string, string[]> {
  const server = files.filter(({ path }) => SERVER.test(path) && /[.]ts$/.test(path) && !APART.test(path));
  const outside = (folder: string) => server.filter(({ path }) => !path.startsWith(folder));
  return {
    'lines of the server': server.flatMap(({ path, text }) =>
      text
        .trimEnd()
        .split('\n')
        .map(() => path),
    ),
    leases: places(outside('src/core/database/'), /\bleaseOf\(/),
    'wake-ups': [
      ...occurrences(server, /\blistener\.on\(/g),
      ...places(server, /\blistener\.follow\(/).slice(0, 1),
      ...server.filter(({ path }) => /\/signal-\w+[.]ts$/.test(path)).map(({ path }) => path),
    ],
    timers: places(
      outside('src/core/work/'),
      /\bsetInterval\(|\bthis\.timer = setTimeout\(\s*\(\) => (?:void )?this\.\w+\(/,
    ),
    'periodic jobs': places(server, /\btimers\.every\(/),
    batchers: occurrences(server, /\bnew Batcher</g),
    caches: occurrences(server, /\bnew LRUCache</g),
    'switches of checks': occurrences(server, /\bas (?:never|any)\b|@ts-\w+|lint-disable/g),
    'files with SQL that are no .rows.ts': places(
      server.filter(({ path }) => !/[.]rows[.]ts$|\/migrations\//.test(path)),
      STATEMENT,
    ),
  };
}

function occurrences(files: readonly SourceFile[], what: RegExp): string[] {
  return files.flatMap(({ path, text }) => Array.from(text.matchAll(what), () => path));
}

function places(files: readonly SourceFile[], what: RegExp): string[] {
  return files.filter(({ text }) => what.test(text)).map(({ path }) => path);
}
