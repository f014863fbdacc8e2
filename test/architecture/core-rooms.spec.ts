import { circlesOfCore } from './core-rooms';
import { ROOT } from './scratch-tree';
import { sourceFiles } from './source-rules';

const file = (path: string, specifier: string) => ({ path, text: `import { it } from '${specifier}';` });

describe(circlesOfCore.name, () => {
  it('names two rooms that import each other', () => {
    const files = [file('src/core/http/a.ts', '../events/b'), file('src/core/events/b.ts', '../http/lifecycle/c')];
    expect(circlesOfCore(files)).toEqual(['http → events', 'events → http']);
  });

  it('names a circle over a third room', () => {
    const files = [
      file('src/core/http/lifecycle/a.ts', '../../events/b'),
      file('src/core/events/b.ts', '../jobs/c'),
      file('src/core/jobs/c.ts', '../http/a'),
    ];
    expect(circlesOfCore(files)).toHaveLength(3);
  });

  it('lets a spec import what it likes, and a room import another', () => {
    const files = [file('src/core/http/a.ts', '../events/b'), file('src/core/events/b.spec.ts', '../http/a')];
    expect(circlesOfCore(files)).toEqual([]);
  });
});

describe('the rooms of src/core', () => {
  it('are not built on each other in a circle', () => {
    const files = [...sourceFiles(ROOT, ['src/core'])];
    expect(files.length).toBeGreaterThan(100);
    expect(circlesOfCore(files)).toEqual([]);
  });
});
