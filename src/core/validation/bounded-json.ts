import { sanitizeText } from '#contracts';

/** Longest `data` of a message or notice as JSON, in bytes. */
export const MAX_DATA_BYTES = 16_384;
/** Deeper values are null. */
const DEEPEST = 20;
/** Values in it; more are left out. So many do not fit into the bytes. */
const MOST_VALUES = 4_000;
/** Room for all its texts and names, in multiples of the bytes; what comes later is left out. */
const TEXT_ROOM = 8;
/** How often a value is shortened: more would take too long for a value that is made to take long. */
const ROUNDS = 16;

/**
 * An external value in a form that PostgreSQL can store and that fits into so many bytes as JSON: the longest list loses its
 * last half until the value fits, or the longest text if there is no list. Undefined if it does not fit even so.
 */
export function boundedJson<T extends object>(value: T, maximum = MAX_DATA_BYTES): T | undefined {
  const copy = sanitizeJson(value, { values: MOST_VALUES, length: maximum, units: TEXT_ROOM * maximum }) as T;
  let size = sizeOf(copy);
  for (let round = 0; size > maximum; round += 1) {
    const saved = round === ROUNDS ? 0 : shorten(copy);
    if (saved === 0) return undefined;
    size -= saved;
  }
  return copy;
}

interface Room {
  /** How many values may still be added. */
  values: number;
  /** Longest text, in UTF-16 units. */
  length: number;
  /** How many UTF-16 units all texts and names together may still have. */
  units: number;
}

function sanitizeJson(value: unknown, room: Room, depth = 0): unknown {
  if (typeof value === 'string') return textIn(room, value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth === DEEPEST) return null;
  const entries: [string, unknown][] = [];
  // The rest of a list is not read: it may have a million values.
  const kept = Array.isArray(value) ? value.slice(0, room.values) : value;
  for (const [key, item] of Object.entries(kept)) {
    if (room.values === 0 || room.units <= 0) break;
    room.values -= 1;
    entries.push([textIn(room, key), sanitizeJson(item, room, depth + 1)]);
  }
  return Array.isArray(value) ? entries.map(([, item]) => item) : Object.fromEntries(entries);
}

function textIn(room: Room, text: string): string {
  const kept = sanitizeText(text, room.length);
  room.units -= kept.length;
  return kept;
}

interface Place {
  holder: Record<string, unknown>;
  key: string;
  length: number;
}
type Longest = Partial<Record<'list' | 'text', Place>>;

/** @returns how many bytes of JSON it saved; 0 if nothing can be shortened */
function shorten(value: object): number {
  const longest: Longest = {};
  findLongest(value as Record<string, unknown>, longest);
  const { holder, key, length } = longest.list ?? longest.text ?? { length: 0 };
  if (!holder || key === undefined) return 0;
  const half = Math.floor(length / 2);
  const shown = holder[key] as string | unknown[];
  holder[key] = typeof shown === 'string' ? shown.slice(0, half).toWellFormed() : shown.slice(0, half);
  return sizeOf(shown) - sizeOf(holder[key]);
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
  return Buffer.byteLength(JSON.stringify(value));
}
