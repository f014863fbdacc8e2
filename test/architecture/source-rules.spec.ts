import { ROOT } from './scratch-tree';
import { crowdedRooms, SOURCE_RULES, sourceFiles } from './source-rules';

/** Kept apart so that this file does not break the rules it shows. */
const word = (...parts: string[]): string => parts.join('');

const LONG = 'export const line = 1;\n'.repeat(401);
const DISABLE = word('oxlint', '-disable-next-line');
const EXPECT_ERROR = word('@ts-', 'expect-error');

/** [rule, path, text, faults] */
const CASES: readonly (readonly [rule: string, path: string, text: string, faults: string[]])[] = [
  ['has no forwardRef', 'src/ai/a.ts', 'x;\n@Inject(forwardRef(() => A))', ['src/ai/a.ts:2']],
  ['has no forwardRef', 'src/ai/a.ts', '@Inject(A)', []],
  ['has at most 400 lines', 'src/ai/a.ts', LONG, ['src/ai/a.ts: 401 lines']],
  ['has at most 400 lines', 'src/ai/a.spec.ts', LONG, []],
  ['has at most 400 lines', 'src/core/database/migrations/1-create.ts', LONG, []],
  ['has at most 400 lines', 'libs/client/api-types.ts', LONG, []],
  ['has at most 400 lines', 'libs/contracts/a.ts', LONG.slice(23), []],
  ['says its kind by its suffix', 'src/a/a.ts', '@Module({})\nexport class A {}', ['src/a/a.ts: module']],
  ['says its kind by its suffix', 'src/a/a.module.ts', '@Module({})\nexport class A {}', []],
  ['says its kind by its suffix', 'src/a/a.ts', "@Controller('a')\nexport class A {}", ['src/a/a.ts: controller']],
  ['says its kind by its suffix', 'src/a/a.ts', '@Catch()\nexport class A {}', ['src/a/a.ts: filter']],
  ['says its kind by its suffix', 'src/a/a.ts', "@Entity('a')\nexport class A {}", ['src/a/a.ts: entity']],
  ['says its kind by its suffix', 'src/a/a.ts', "@Processor('a')\nexport class A {}", ['src/a/a.ts: processor']],
  ['says its kind by its suffix', 'src/a/a.ts', 'export class A implements CanActivate {}', ['src/a/a.ts: guard']],
  ['says its kind by its suffix', 'src/a/a.ts', 'export class A extends ThrottlerGuard {}', ['src/a/a.ts: guard']],
  [
    'says its kind by its suffix',
    'src/a/a.ts',
    'export class A implements NestInterceptor {}',
    ['src/a/a.ts: interceptor'],
  ],
  ['says its kind by its suffix', 'src/a/a.ts', 'export class A implements PipeTransform {}', ['src/a/a.ts: pipe']],
  ['says its kind by its suffix', 'libs/a/a.ts', "class A {\n  @On('raw')\n  b() {}\n}", ['libs/a/a.ts: listener']],
  ['says its kind by its suffix', 'src/a/a.spec.ts', '@Module({})\nexport class A {}', []],
  ['keeps SQL in .rows.ts files', 'src/messages/a/a.service.ts', 'x;\n`SELECT 1`;', ['src/messages/a/a.service.ts:2']],
  ['keeps SQL in .rows.ts files', 'src/messages/a.ts', '() => `now() + interval`', ['src/messages/a.ts:1']],
  ['keeps SQL in .rows.ts files', 'src/messages/a/a.rows.ts', '`SELECT 1`;', []],
  ['keeps SQL in .rows.ts files', 'src/messages/a/a.spec.ts', '`SELECT 1`;', []],
  ['keeps SQL in .rows.ts files', 'src/status/a.service.ts', '`SELECT 1`;', ['src/status/a.service.ts:1']],
  ['keeps SQL in .rows.ts files', 'src/integrations/a/last-seen.ts', '`SELECT 1`;', []],
  ['keeps SQL in .rows.ts files', 'src/webhooks/dispatch/a.ts', '`SELECT 1`;', ['src/webhooks/dispatch/a.ts:1']],
  ['keeps SQL in .rows.ts files', 'src/core/work/a.service.ts', '`SELECT 1`;', ['src/core/work/a.service.ts:1']],
  ['keeps SQL in .rows.ts files', 'src/core/database/a.service.ts', '`SELECT 1`;', []],
  ['repeats with `repeat`', 'src/a/a.ts', 'x;\nsetInterval(a, 1);', ['src/a/a.ts:2']],
  ['repeats with `repeat`', 'src/a/a.ts', 'repeat(1, a);', []],
  ['repeats with `repeat`', 'libs/dashboard/a.ts', 'setInterval(a, 1);', []],
  ['leaves nothing for later', 'test/a.ts', `// ${word('TO', 'DO')}: finish`, ['test/a.ts:1']],
  ['leaves nothing for later', 'src/a.ts', `f(); // ${word('FIX', 'ME')}`, ['src/a.ts:1']],
  ['leaves nothing for later', 'src/a.ts', `${word('TO', 'DOS')}, method`, []],
  ['gives a reason with each suppressed check', 'src/a.ts', `// ${DISABLE} no-explicit-any`, ['src/a.ts:1']],
  ['gives a reason with each suppressed check', 'src/a.ts', `// ${DISABLE} no-explicit-any -- because`, ['src/a.ts:1']],
  ['gives a reason with each suppressed check', 'src/a.ts', `// ${DISABLE} no-explicit-any -- the SDK types it so`, []],
  ['gives a reason with each suppressed check', 'src/a.ts', `/* ${DISABLE} no-console -- prints the key once */`, []],
  ['gives a reason with each suppressed check', 'src/a.ts', `// ${EXPECT_ERROR}`, ['src/a.ts:1']],
  ['gives a reason with each suppressed check', 'src/a.ts', `// ${EXPECT_ERROR} the compiler must refuse it`, []],
  ['mocks no module', 'src/a.spec.ts', `${word('jest', '.mock(')}'./b')`, ['src/a.spec.ts:1']],
  ['mocks no module', 'src/a.spec.ts', 'const send = jest.fn();', []],
];

describe('the source rules', () => {
  it.each(CASES)('%s: classifies %s correctly (%#)', (rule, path, text, faults) => {
    expect(SOURCE_RULES[rule]?.({ path, text })).toEqual(faults);
  });

  it('each have a case that breaks them', () => {
    const biting = CASES.filter(([, , , faults]) => faults.length > 0).map(([rule]) => rule);
    expect(new Set(biting)).toEqual(new Set(Object.keys(SOURCE_RULES)));
  });
});

describe(crowdedRooms.name, () => {
  const room = (count: number, end = '.ts') => Array.from({ length: count }, (_, index) => `src/ai/a${index}${end}`);

  it('finds a folder with more than 15 source files', () => {
    expect(crowdedRooms(room(16))).toEqual(['src/ai: 16 files']);
    expect(crowdedRooms(room(15))).toEqual([]);
  });

  it('counts neither specs, fixtures nor migrations', () => {
    expect(crowdedRooms([...room(15), ...room(9, '.spec.ts'), ...room(9, '.fixture.ts')])).toEqual([]);
    expect(crowdedRooms(room(16).map((path) => path.replace('ai', 'core/database/migrations')))).toEqual([]);
  });
});

describe('every source file', () => {
  const files = [...sourceFiles(ROOT, ['src', 'libs', 'test', 'scripts'])];

  it.each(Object.entries(SOURCE_RULES))('%s', (_, faultsOf) => {
    expect(files.flatMap(faultsOf)).toEqual([]);
  });

  it('is in a folder with at most 15 source files', () => {
    expect(crowdedRooms(files.map(({ path }) => path))).toEqual([]);
  });

  it('is among the files that the rules read', () => {
    expect(files.map(({ path }) => path)).toContain('src/main.ts');
  });
});
