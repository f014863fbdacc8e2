import { circlesOfCore, tablesOfFeatures } from './core-rooms';
import { ROOT } from './scratch-tree';
import { sourceFiles } from './source-rules';

const file = (path: string, specifier: string) => ({ path, text: `import { it } from '${specifier}';` });

describe(circlesOfCore.name, () => {
  it('finds two folders that import each other', () => {
    const files = [file('src/core/http/a.ts', '../events/b'), file('src/core/events/b.ts', '../http/lifecycle/c')];
    expect(circlesOfCore(files)).toEqual(['http → events', 'events → http']);
  });

  it('finds a circle through a third folder', () => {
    const files = [
      file('src/core/http/lifecycle/a.ts', '../../events/b'),
      file('src/core/events/b.ts', '../jobs/c'),
      file('src/core/jobs/c.ts', '../http/a'),
    ];
    expect(circlesOfCore(files)).toHaveLength(3);
  });

  it('ignores imports of specs, and allows one-way imports', () => {
    const files = [file('src/core/http/a.ts', '../events/b'), file('src/core/events/b.spec.ts', '../http/a')];
    expect(circlesOfCore(files)).toEqual([]);
  });
});

describe(tablesOfFeatures.name, () => {
  it.each([
    [
      'a table of a feature',
      'src/core/work/a.rows.ts',
      'SELECT FROM messages m',
      ['src/core/work/a.rows.ts: messages'],
    ],
    ['no table of core', 'src/core/work/a.rows.ts', 'UPDATE events SET id = 1', []],
    ['nothing in a migration', 'src/core/database/migrations/1-a.ts', 'SELECT FROM messages', []],
    ['nothing outside core', 'src/messages/a.rows.ts', 'SELECT FROM messages', []],
  ])('finds %s', (_, path, text, faults) => expect(tablesOfFeatures([{ path, text }])).toEqual(faults));
});

describe('the folders of src/core', () => {
  it('name no table of a feature', () => {
    expect(tablesOfFeatures([...sourceFiles(ROOT, ['src/core'])])).toEqual([]);
  });

  it('have no circular imports', () => {
    const files = [...sourceFiles(ROOT, ['src/core'])];
    expect(files.length).toBeGreaterThan(100);
    expect(circlesOfCore(files)).toEqual([]);
  });
});
