import { readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT, ScratchTree } from './scratch-tree';

interface Diagnostic {
  code: string;
  filename: string;
}

/** Each file breaks one rule: file → [rule, text]. */
const BROKEN: Readonly<Record<string, readonly [rule: string, text: string]>> = {
  'src/any.ts': ['typescript(no-explicit-any)', 'export const anything: any = 1;'],
  'src/floating.ts': [
    'typescript(no-floating-promises)',
    'export function f(send: () => Promise<void>): void {\n  send();\n}',
  ],
  'src/misused.ts': [
    'typescript(no-misused-promises)',
    'export const f = (): void => [1].forEach(async () => Promise.resolve());',
  ],
  'src/switch.ts': [
    'typescript(switch-exhaustiveness-check)',
    "export function f(word: 'a' | 'b'): void {\n  switch (word) {\n    case 'a':\n      throw new Error(word);\n  }\n}",
  ],
  'src/console.ts': ['eslint(no-console)', "console.log('hello');\nexport const done = true;"],
  'src/environment.ts': ['node(no-process-env)', 'export const home = process.env.HOME;'],
  'src/builtin.ts': ['unicorn(prefer-node-protocol)', "export { join } from 'path';"],
  'src/backtracking.ts': [
    'regexp(no-super-linear-backtracking)',
    String.raw`export const f = (text: string): boolean => /^\d+\s*\s*$/.test(text);`,
  ],
  'src/constructed.ts': [
    'regexp(no-super-linear-backtracking)',
    "const part = '(?:.*)*';\nexport const f = (text: string): boolean => new RegExp(`^${part}b$`).test(text);",
  ],
  'src/move.ts': [
    'regexp(no-super-linear-move)',
    String.raw`export const f = (text: string): string => text.replace(/\s+$/, '');`,
  ],
  'src/skipped.spec.ts': [
    'jest(no-disabled-tests)',
    ['describe', ".skip('x', () => {\n  it('y', () => {\n    expect(1).toBe(1);\n  });\n});\n"].join(''),
  ],
};

const CLEAN = {
  'tsconfig.json': JSON.stringify({
    compilerOptions: { strict: true, module: 'nodenext', experimentalDecorators: true, types: [] },
    include: ['src', 'test'],
  }),
  // The imported class is used only as a type, but must stay a value: Nest reads it from the emitted metadata.
  'src/clock.ts': 'export class Clock {\n  now = 1;\n}',
  'src/service.ts': [
    "import { Clock } from './clock';",
    'declare const Injectable: () => ClassDecorator;',
    '@Injectable()',
    'export class Service {',
    '  constructor(private readonly clock: Clock) {}',
    '  later(): number {',
    '    void Promise.resolve();',
    '    return this.clock.now;',
    '  }',
    '}',
  ].join('\n'),
  'src/empty.module.ts':
    'declare const Module: (options: object) => ClassDecorator;\n@Module({})\nexport class EmptyModule {}',
  'src/core/config/environment.ts': "export const home = process.env['HOME'];",
  'test/demo/demo.ts': "console.log('a demo talks');\nexport const done = true;",
};

async function lint(files: Record<string, string>): Promise<string[]> {
  // The overrides' paths are relative to the configuration, so the tree gets a copy.
  const configuration = await readFile(join(ROOT, '.oxlintrc.json'), 'utf8');
  const tree = await ScratchTree.plant({ ...files, '.oxlintrc.json': configuration });
  try {
    // Oxlint looks for plugins beside its configuration.
    await symlink(join(ROOT, 'node_modules'), join(tree.path, 'node_modules'));
    const output = await tree.run('oxlint/bin/oxlint', ['--type-aware', '--format=json', 'src', 'test']);
    const { diagnostics } = JSON.parse(output) as { diagnostics: Diagnostic[] };
    return diagnostics.map(({ code, filename }) => `${filename.replaceAll('\\', '/')}: ${code}`).sort();
  } finally {
    await tree.fell();
  }
}

describe('the lint rules', () => {
  it('report each broken rule, and accept what Nest and the terminal programs need', async () => {
    const broken = Object.fromEntries(Object.entries(BROKEN).map(([file, [, text]]) => [file, text]));

    expect(await lint({ ...CLEAN, ...broken })).toEqual(
      Object.entries(BROKEN)
        .map(([file, [rule]]) => `${file}: ${rule}`)
        .sort(),
    );
  });
});
