import { posix } from 'node:path';
import type { Fault, SourceFile } from './source-rules';
import { TABLE_OWNERS } from './table-owners';

const CORE = 'src/core/';
const IMPORT = /(?:from|import\()\s*'(\.[^']+)'/g;

/** `src/core/http/lifecycle/a.ts` → `http`; undefined for a file that is in no room of core. */
function roomOf(path: string): string | undefined {
  const [room, ...rest] = path.startsWith(CORE) ? path.slice(CORE.length).split('/') : [];
  return rest.length > 0 ? room : undefined;
}

/**
 * Files of core that name tables of features. Their SQL is part of one statement, and a hot path: an event is stored with its
 * dispatches, and a repeated request asks whether its message has settled.
 */
const NAMES_TABLES = new Set([
  'src/core/events/event.rows.ts',
  'src/core/events/event-deliveries.rows.ts',
  'src/core/idempotency/idempotency.rows.ts',
]);

/** The files of core that name a table of a feature; migrations may. */
export function tablesOfFeatures(files: readonly SourceFile[]): Fault[] {
  return files
    .filter(({ path }) => path.startsWith(CORE) && !/[.](spec|fixture)[.]ts$|\/migrations\//.test(path))
    .filter(({ path }) => !NAMES_TABLES.has(path))
    .flatMap(({ path, text }) =>
      Array.from(text.matchAll(/\b(?:FROM|JOIN|INTO|UPDATE) ([a-z_]+)/g), ([, table = '']) => table)
        .filter((table) => TABLE_OWNERS[table] && !TABLE_OWNERS[table].startsWith('core/'))
        .map((table) => `${path}: ${table}`),
    );
}

/** Which room of core imports which; specs may import any. */
function importsOfRooms(files: readonly SourceFile[]): Map<string, Set<string>> {
  const rooms = new Map<string, Set<string>>();
  for (const { path, text } of files) {
    const from = roomOf(path);
    if (from === undefined || /\.(spec|fixture)\.ts$/.test(path)) continue;
    for (const [, specifier] of text.matchAll(IMPORT)) {
      const to = roomOf(posix.join(posix.dirname(path), specifier!));
      if (to !== undefined && to !== from) rooms.set(from, (rooms.get(from) ?? new Set()).add(to));
    }
  }
  return rooms;
}

/** The rooms of core that are built on each other in a circle: `http ↔ validation`. */
export function circlesOfCore(files: readonly SourceFile[]): Fault[] {
  const imports = importsOfRooms(files);
  const reaches = (from: string, to: string, seen = new Set<string>()): boolean => {
    for (const next of imports.get(from) ?? []) {
      if (next === to) return true;
      if (!seen.has(next) && reaches(next, to, seen.add(next))) return true;
    }
    return false;
  };
  const pairs = [...imports].flatMap(([from, targets]) => [...targets].map((to) => [from, to] as const));
  return pairs.filter(([from, to]) => reaches(to, from)).map(([from, to]) => `${from} → ${to}`);
}
