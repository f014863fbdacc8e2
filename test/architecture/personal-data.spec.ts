import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { getMetadataArgsStorage } from 'typeorm';
import { isWord, NOT_PERSONAL } from './personal-data';

const ROOT = join(__dirname, '../..');
/** Types whose values may be anything that a person wrote. */
const OPEN = new Set(['text', 'varchar', 'json', 'jsonb', 'bytea']);

type Parts = Readonly<Record<string, readonly string[]>>;

function filesOf(suffix: string): string[] {
  return readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith(suffix))
    .map((path) => join(ROOT, 'src', path));
}

describe('personal data', () => {
  const columns: string[] = [];
  const parts: Parts[] = [];

  beforeAll(async () => {
    for (const path of filesOf('.entity.ts')) await import(path);
    const { tables, columns: all } = getMetadataArgsStorage();
    for (const { target, propertyName, options } of all) {
      const table = tables.find((one) => one.target === target)?.name;
      if (table === undefined || !OPEN.has(String(options.type)) || options.enum) continue;
      columns.push(`${table}.${options.name ?? propertyName}`);
    }
    for (const path of [...filesOf('.rows.ts'), ...filesOf('erasure.service.ts')]) {
      const { ERASED_COLUMNS, ERASED_AT_ONCE } = (await import(path)) as Record<string, Parts | undefined>;
      if (ERASED_COLUMNS) parts.push(ERASED_COLUMNS);
      if (ERASED_AT_ONCE) parts.push(ERASED_AT_ONCE);
    }
  });

  const erased = () =>
    parts.flatMap((part) => Object.entries(part).flatMap(([table, names]) => names.map((name) => `${table}.${name}`)));

  it('is erased from every text, JSON or bytes column, unless the list says why it holds none', () => {
    const known = new Set([...erased(), ...Object.keys(NOT_PERSONAL)]);
    const unknown = columns.filter((column) => {
      const [table, name] = column.split('.') as [string, string];
      return !known.has(column) && !isWord(table, name);
    });
    expect(unknown).toEqual([]);
  });

  it('is listed by columns that exist, once each', () => {
    const named = [...erased(), ...Object.keys(NOT_PERSONAL)];
    expect(named.filter((column) => !columns.includes(column))).toEqual([]);
    expect(named.filter((column, index) => named.indexOf(column) !== index)).toEqual([]);
  });
});
