/** JSON texts that cost much to read, to validate or to refuse, each about as long as an operation takes. */

/** Makes a text of so many bytes at most. */
type Json = (bytes: number) => string;

/** Nearly as many as a body may have, with those of an example. */
const VALUES = 1_950;
const LEVELS = 25;

/** Stands for a value until its JSON is put there. */
const PLACE = 'the place';

/** What texts are made of, as JSON has it. */
const UNITS = ['x', '🦊', '\\ud800', 'e\u0301', ' ', '9', ':'];

const times = (count: number, of: (index: number) => string) => Array.from({ length: count }, (_, index) => of(index));
const list = (items: readonly string[]) => `[${items.join(',')}]`;
const object = (names: readonly string[], value = '0') => `{${names.map((name) => `${name}:${value}`).join(',')}}`;
const nested = (open: string, close: string, levels: number) => open.repeat(levels) + '0' + close.repeat(levels);
const text = (unit: string, bytes: number) => `"${unit.repeat(Math.max(0, (bytes - 2) / Buffer.byteLength(unit)))}"`;
/** So many names, together as long as can be. */
const names = (count: number, bytes: number, unit = 'n') =>
  times(count, (index) => `"${index}${text(unit, bytes / count - 8).slice(1)}`);
const shortName = (index: number) => `"${String(index).padStart(6, 'f')}"`;
/** As many as fit. */
const all = (of: (index: number) => string, bytes: number) => times(bytes / (of(0).length + 1) - 1, of);

const VALUE: Readonly<Record<string, Json>> = {
  ...Object.fromEntries(UNITS.map((unit) => [`a text of ${unit}`, (bytes: number) => text(unit, bytes)])),
  'a list of nulls': () => list(times(VALUES, () => 'null')),
  'a list of words': () => list(times(VALUES, () => '"admin:users"')),
  'a list of empty objects': () => list(times(VALUES, () => '{}')),
  'a list of objects': () => list(times(VALUES / 3, () => '{"role":"user","content":"x"}')),
  'a list of empty lists': () => list(times(VALUES, () => '[]')),
  'a list of long texts': (bytes) => list(times(100, (index) => text(UNITS[index % UNITS.length]!, bytes / 100 - 1))),
  'lists in lists': () => nested('[', ']', LEVELS),
  'objects in objects': () => nested('{"a":', '}', LEVELS),
  'an object of long names': (bytes) => object(names(VALUES, bytes)),
  'an object of one name': (bytes) => object([text('n', bytes - 10)]),
  'an object of inherited names': () => object(['"__proto__"', '"constructor"', '"toString"', '"then"'], '{}'),
  'objects under constructor': () => list(times(VALUES / 2, () => '{"constructor":{}}')),
  'a list by its length': () => '{"length":4294967295}',
  'a number of many digits': (bytes) => '9'.repeat(bytes),
};

const BODY: Readonly<Record<string, Json>> = {
  'many unknown fields': (bytes) => object(all(shortName, bytes * 0.8)),
  'many unknown objects': (bytes) => object(all(shortName, bytes * 0.75), '{}'),
  'many objects in an unknown list': (bytes) => `{"a":${list(all(() => '{"a":{}}', bytes - 10))}}`,
  'one field again and again': (bytes) => `{${all(() => '"message":""', bytes).join(',')}}`,
  'unknown fields with long names': (bytes) => object(names(VALUES, bytes)),
  'unknown fields with escaped names': (bytes) => object(names(VALUES, bytes, '\\ud800')),
  'a field whose name fills the body': (bytes) => object([text('n', bytes - 10)]),
  'a field whose name is a number': (bytes) => object([text('1', bytes - 10)]),
  'unknown objects with inherited names': (bytes) => object(names(VALUES / 2, bytes / 2), '{"constructor":0}'),
  'lists in lists': (bytes) => nested('[', ']', bytes / 2 - 1),
  'objects in objects': (bytes) => nested('{"a":', '}', bytes / 6 - 1),
  'lists that never end': (bytes) => '['.repeat(bytes),
  'a text that never ends': (bytes) => `{"message":"${'\\\\'.repeat(bytes / 2 - 10)}`,
  quotes: (bytes) => '"'.repeat(bytes),
  commas: (bytes) => ','.repeat(bytes),
  'white space': (bytes) => ' '.repeat(bytes),
  'an object behind white space': (bytes) => `${' \t\r\n'.repeat(bytes / 4 - 1)}{}`,
  'a number': (bytes) => '9'.repeat(bytes),
  'a list': (bytes) => list(all(() => '0', bytes)),
};

/** Longest that is put in one place of a body, in bytes: a check that takes the square of that takes a minute. */
const PART = 100_000;

/** Bodies of so many bytes at most: those that no operation knows, and an example of which each part is replaced in turn. */
export function* costlyBodies(example: object, bytes: number): Generator<[name: string, json: string]> {
  for (const [name, json] of Object.entries(BODY)) yield [name, json(bytes)];
  const room = Math.min(PART, bytes - JSON.stringify(example).length - 20);
  for (const [path, body] of placesOf(example)) {
    const [before, after] = JSON.stringify(body).split(`"${PLACE}"`) as [string, string];
    for (const [name, json] of Object.entries(VALUE)) yield [`${name} for ${path}`, before + json(room) + after];
  }
}

/** Copies of an example with one of its values, or a surplus field of one of its objects, replaced by the mark. */
function placesOf(example: object): [path: string, body: object][] {
  const root = structuredClone(example);
  const found: [string, object][] = [];
  const visit = (holder: object, parent: string): void => {
    // One item of a list stands for all.
    for (const name of Array.isArray(holder) ? ['0'] : [...Object.keys(holder), 'surplus']) {
      const path = parent + name;
      const value: unknown = Reflect.get(holder, name);
      Reflect.set(holder, name, PLACE);
      found.push([path, structuredClone(root)]);
      if (value === undefined) Reflect.deleteProperty(holder, name);
      else Reflect.set(holder, name, value);
      if (typeof value === 'object' && value !== null) visit(value, `${path}.`);
    }
  };
  visit(root, '');
  return found;
}
