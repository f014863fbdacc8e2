import { posix } from 'node:path';
import type { Fault, SourceFile } from './source-rules';

const CORE = 'src/core/';
const IMPORT = /(?:from|import\()\s*'(\.[^']+)'/g;

/** `src/core/http/lifecycle/a.ts` → `http`; undefined for a file that is in no room of core. */
function roomOf(path: string): string | undefined {
  const [room, ...rest] = path.startsWith(CORE) ? path.slice(CORE.length).split('/') : [];
  return rest.length > 0 ? room : undefined;
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
