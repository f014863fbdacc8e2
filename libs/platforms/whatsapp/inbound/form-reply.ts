import { MAX_TEXT_LENGTH } from '#contracts';

/** Every line repeats the names of the levels above it: without bounds, 16 KB of answers made a text of 113 MB. */
export const MAX_LEVELS = 8;
/** Items of lists count too. */
export const MAX_FIELDS = 200;

/** The fields of a form's answers, one per line: `address.city: Berlin`. Leaves out the token, which is for the flow's server. */
export function linesOf(answers: unknown): string[] {
  const lines: string[] = [];
  let left = MAX_FIELDS;
  let length = 0;

  const add = (value: unknown, name: string, level: number): void => {
    if (name === 'flow_token') return;
    if (typeof value === 'object' && value !== null) {
      const before = left;
      if (level < MAX_LEVELS) {
        for (const key of keysOf(value)) {
          if (left === 0) return;
          add((value as Record<PropertyKey, unknown>)[key], name === '' ? String(key) : `${name}.${key}`, level + 1);
        }
      }
      // Empty lists count too: a list of a million of them must not be read to its end.
      if (left === before) left -= 1;
      return;
    }
    left -= 1;
    if (value === null || value === undefined) return;
    const shown = typeof value === 'string' ? value : JSON.stringify(value);
    const line = name === '' ? shown : `${name}: ${shown}`;
    lines.push(line);
    length += line.length;
    // The rest would be cut anyway: each line may repeat a name of a megabyte.
    if (length > 2 * MAX_TEXT_LENGTH) left = 0;
  };

  add(answers, '', 0);
  return lines;
}

/** An iterator, so that the keys of a long list are not built in advance. */
function keysOf(value: object): Iterable<number | string> {
  return Array.isArray(value) ? value.keys() : Object.keys(value);
}
