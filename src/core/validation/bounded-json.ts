import { sanitizeText } from '#contracts';

/** Longest `data` of a message or notice as JSON, in bytes. */
export const MAX_DATA_BYTES = 16_384;
/** Deeper values are null. */
const DEEPEST = 20;
/** Values in it; more are left out. So many do not fit into the bytes. */
const MOST_VALUES = 4_000;
/** How often a value is shortened: more would take too long for a value that is made to take long. */
const ROUNDS = 16;

/**
 * An external value in a form that PostgreSQL can store and that fits into so many bytes as JSON: the longest list loses its
 * last half until the value fits, or the longest text if there is no list. Undefined if it does not fit even so.
 */
export function boundedJson<T extends object>(value: T, maximum = MAX_DATA_BYTES): T | undefined {
  const copy = sanitizeJson(value, { values: MOST_VALUES, length: maximum }) as T;
  for (let round = 0; sizeOf(copy) > maximum; round += 1) {
    if (round === ROUNDS || !shorten(copy)) return undefined;
  }
  return copy;
}

interface Room {
  /** How many values may still be added. */
  values: number;
  /** Longest text, in UTF-16 units. */
  length: number;
}

function sanitizeJson(value: unknown, room: Room, depth = 0): unknown {
  if (typeof value === 'string') return sanitizeText(value, room.length);
  if (typeof value !== 'object' || value === null) return value;
  if (depth === DEEPEST) return null;
  const entries: [string, unknown][] = [];
  for (const [key, item] of Object.entries(value)) {
    if (room.values === 0) break;
    room.values -= 1;
    entries.push([sanitizeText(key, room.length), sanitizeJson(item, room, depth + 1)]);
  }
  return Array.isArray(value) ? entries.map(([, item]) => item) : Object.fromEntries(entries);
}

interface Place {
  holder: Record<string, unknown>;
  key: string;
  length: number;
}
type Longest = Partial<Record<'list' | 'text', Place>>;

/** @returns false if nothing can be shortened */
function shorten(value: object): boolean {
  const longest: Longest = {};
  findLongest(value as Record<string, unknown>, longest);
  const { holder, key, length } = longest.list ?? longest.text ?? { length: 0 };
  if (!holder || key === undefined) return false;
  const half = Math.floor(length / 2);
  const shown = holder[key] as string | unknown[];
  holder[key] = typeof shown === 'string' ? shown.slice(0, half).toWellFormed() : shown.slice(0, half);
  return true;
}

function findLongest(holder: Record<string, unknown>, longest: Longest): void {
  for (const [key, value] of Object.entries(holder)) {
    const kind = typeof value === 'string' ? 'text' : Array.isArray(value) ? 'list' : undefined;
    const { length } = kind ? (value as string | unknown[]) : { length: 0 };
    if (kind && length > (longest[kind]?.length ?? 1)) longest[kind] = { holder, key, length };
    if (typeof value === 'object' && value !== null) findLongest(value as Record<string, unknown>, longest);
  }
}

function sizeOf(value: unknown): number {
  return new TextEncoder().encode(JSON.stringify(value)).length;
}
