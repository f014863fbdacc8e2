import { join } from 'node:path';
import { ROOT, ScratchTree } from './scratch-tree';

interface Violation {
  rule: { name: string };
  from: string;
  to: string;
}

const CONFIG = join(ROOT, '.dependency-cruiser.cjs');
const FEATURES = [
  'media',
  'api-keys',
  'integrations',
  'conversations',
  'messages',
  'ai',
  'webhooks',
  'admin',
  'status',
  'live',
  'billing',
  'timeline',
];
const A_MODULE = "import { Module } from '@nestjs/common';\nexport const own = Module;\n";

/** Packages and libs that the small trees import. */
const SURROUNDINGS = {
  'package.json': JSON.stringify({
    name: 'tree',
    imports: Object.fromEntries(
      ['contracts', 'embedded-postgres', 'http-client', 'platforms'].map((lib) => [
        `#${lib}`,
        `./dist/libs/${lib}/index.js`,
      ]),
    ),
    dependencies: { '@nestjs/common': '1.0.0' },
    devDependencies: { '@nestjs/testing': '1.0.0' },
  }),
  'node_modules/@nestjs/common/index.js': 'exports.Module = 1;',
  'node_modules/@nestjs/testing/index.js': 'exports.Test = 1;',
  'node_modules/undeclared/index.js': 'exports.luck = 1;',
  'src/main.ts': "import './app.module';",
  'src/app.module.ts': FEATURES.map((feature) => `import './${feature}/${feature}.module';`).join('\n'),
  ...Object.fromEntries(FEATURES.map((feature) => [`src/${feature}/${feature}.module.ts`, A_MODULE])),
  'src/messages/entities/message.entity.ts': A_MODULE,
  'src/operations/cli/own.ts': A_MODULE,
  'libs/contracts/index.ts': "export * from './ids';",
  'libs/contracts/ids.ts': 'export const ids = 1;',
  'libs/embedded-postgres/index.ts': A_MODULE,
  'libs/http-client/index.ts': A_MODULE,
  'libs/platforms/index.ts': "export * from './platform.port';",
  'libs/platforms/platform.port.ts': "import { ids } from '#contracts';\nexport const port = ids;",
  'libs/client/index.ts': "export * from './browser';",
  'libs/client/browser.ts': "export * from '#contracts';",
  'test/support/app.ts': A_MODULE,
};

/** Each row breaks one rule: [rule, file, what it imports, file that this resolves to]. */
const BROKEN: readonly (readonly [rule: string, file: string, specifier: string, to: string])[] = [
  ['contracts-import-nothing-of-ours', 'libs/contracts/a.ts', '#platforms', 'libs/platforms/index.ts'],
  ['contracts-know-no-framework', 'libs/contracts/b.ts', '@nestjs/common', 'node_modules/@nestjs/common/index.js'],
  ['http-client-imports-nothing-of-ours', 'libs/http-client/a.ts', '#contracts', 'libs/contracts/index.ts'],
  ['libs-import-only-contracts', 'libs/client/a.ts', '#platforms', 'libs/platforms/index.ts'],
  ['libs-import-only-contracts', 'libs/client/d.ts', '#http-client', 'libs/http-client/index.ts'],
  ['platforms-import-only-contracts-and-http-client', 'libs/platforms/c.ts', '../client/index', 'libs/client/index.ts'],
  ['dashboard-imports-only-the-client', 'libs/dashboard/a.ts', '#contracts', 'libs/contracts/index.ts'],
  ['libs-never-import-src', 'libs/platforms/a.ts', '../../src/ai/ai.module', 'src/ai/ai.module.ts'],
  ['libs-have-one-door', 'src/integrations/a.ts', '../../libs/contracts/ids', 'libs/contracts/ids.ts'],
  ['libs-have-one-door', 'libs/platforms/b.ts', '../contracts/ids', 'libs/contracts/ids.ts'],
  ['libs-have-one-door', 'libs/client/c.ts', '../contracts/ids', 'libs/contracts/ids.ts'],
  ['core-knows-no-feature', 'src/core/a.ts', '../messages/messages.module', 'src/messages/messages.module.ts'],
  ['core-knows-no-feature', 'src/core/b.ts', '../app.module', 'src/app.module.ts'],
  ['only-integrations-imports-platforms', 'src/messages/a.ts', '#platforms', 'libs/platforms/index.ts'],
  ['only-integrations-imports-platforms', 'src/core/c.ts', '#platforms', 'libs/platforms/index.ts'],
  ['feature-imports-of-messages', 'src/messages/b.ts', '../ai/ai.module', 'src/ai/ai.module.ts'],
  [
    'feature-imports-of-ai',
    'src/ai/a.ts',
    '../integrations/integrations.module',
    'src/integrations/integrations.module.ts',
  ],
  ['feature-imports-of-media', 'src/media/a.ts', '../messages/messages.module', 'src/messages/messages.module.ts'],
  ['feature-imports-of-conversations', 'src/conversations/a.ts', '../ai/ai.module', 'src/ai/ai.module.ts'],
  ['feature-imports-of-status', 'src/status/a.ts', '../messages/messages.module', 'src/messages/messages.module.ts'],
  ['feature-imports-no-feature', 'src/webhooks/a.ts', '../messages/messages.module', 'src/messages/messages.module.ts'],
  [
    'feature-imports-of-integrations',
    'src/integrations/b.ts',
    '../messages/messages.module',
    'src/messages/messages.module.ts',
  ],
  ['feature-imports-of-admin', 'src/admin/a.ts', '../webhooks/webhooks.module', 'src/webhooks/webhooks.module.ts'],
  ['feature-imports-of-billing', 'src/billing/a.ts', '../messages/messages.module', 'src/messages/messages.module.ts'],
  [
    'feature-imports-of-timeline',
    'src/timeline/a.ts',
    '../webhooks/webhooks.module',
    'src/webhooks/webhooks.module.ts',
  ],
  [
    'feature-imports-of-operations',
    'src/operations/a.ts',
    '../webhooks/webhooks.module',
    'src/webhooks/webhooks.module.ts',
  ],
  ['the-application-root-is-not-imported', 'src/ai/b.ts', '../app.module', 'src/app.module.ts'],
  ['the-command-line-is-not-imported', 'src/a.ts', './operations/cli/own', 'src/operations/cli/own.ts'],
  ['production-imports-no-test', 'src/ai/c.ts', '../../test/support/app', 'test/support/app.ts'],
  ['production-imports-no-test', 'libs/client/b.ts', '../../test/support/app', 'test/support/app.ts'],
  ['production-imports-no-test', 'src/ai/d.ts', './e.fixture', 'src/ai/e.fixture.ts'],
  ['production-imports-no-dev-dependency', 'src/ai/f.ts', '@nestjs/testing', 'node_modules/@nestjs/testing/index.js'],
  ['imports-only-declared-packages', 'src/ai/g.ts', 'undeclared', 'node_modules/undeclared/index.js'],
  ['no-cycle', 'src/status/b.ts', './c', 'src/status/c.ts'],
  ['no-unresolvable', 'src/ai/h.ts', './nowhere', './nowhere'],
  ['no-orphan', 'src/ai/i.ts', '', 'src/ai/i.ts'],
];

/** Imports that the rules must allow: [file, what it imports]. */
const ALLOWED: readonly (readonly [file: string, specifier: string])[] = [
  ['src/integrations/c.ts', '#platforms'],
  ['src/webhooks/c.ts', '#http-client'],
  ['libs/platforms/d.ts', '#http-client'],
  ['src/admin/b.ts', '../messages/messages.module'],
  ['src/messages/c.ts', '../conversations/conversations.module'],
  ['src/messages/d.ts', '../integrations/integrations.module'],
  ['src/messages/e.ts', '../media/media.module'],
  ['src/media/b.ts', '../integrations/integrations.module'],
  ['src/ai/j.ts', '../messages/messages.module'],
  ['src/ai/k.ts', '../conversations/conversations.module'],
  ['src/status/d.ts', '../ai/ai.module'],
  ['src/status/e.ts', '../integrations/integrations.module'],
  ['src/webhooks/b.ts', '../messages/entities/message.entity'],
  ['src/core/d.ts', '#contracts'],
  ['src/operations/cli/a.ts', '../../webhooks/webhooks.module'],
  ['src/operations/cli/b.ts', '../../app.module'],
  ['libs/client/contracts.ts', '../contracts/ids'],
  ['libs/client/signatures.ts', '../contracts/ids'],
  ['libs/dashboard/b.ts', '../client/browser'],
  ['src/ai/ai.spec.ts', '../../test/support/app'],
  ['src/ai/provider.spec.ts', '@nestjs/testing'],
  ['src/messages/sink.spec.ts', '#platforms'],
  ['src/messages/recovery.spec.ts', './recovery.fixture'],
  ['src/messages/recovery.fixture.ts', './c'],
  ['test/e2e/send.spec.ts', '../../src/app.module'],
  ['test/conformance/adapter.spec.ts', '#platforms'],
];

function importing(specifier: string): string {
  return specifier === '' ? 'export const alone = 1;' : `import * as it from '${specifier}';\nexport const use = it;`;
}

async function violationsIn(files: Record<string, string>): Promise<Violation[]> {
  const tree = await ScratchTree.plant({ ...SURROUNDINGS, ...files });
  try {
    const output = await tree.run('dependency-cruiser/bin/dependency-cruiser.mjs', [
      '--config',
      CONFIG,
      '--output-type=json',
      'src',
      'libs',
      'test',
    ]);
    return (JSON.parse(output) as { summary: { violations: Violation[] } }).summary.violations;
  } finally {
    await tree.fell();
  }
}

const shown = ({ rule, from, to }: Violation): string => `${rule.name}: ${from} → ${to}`;

describe('the import rules', () => {
  it('report each forbidden import, by its rule, and nothing else', async () => {
    const files = Object.fromEntries(BROKEN.map(([, file, specifier]) => [file, importing(specifier)]));
    const others = { 'src/ai/e.fixture.ts': A_MODULE, 'src/status/c.ts': importing('./b') };
    const violations = await violationsIn({ ...files, ...others });

    const expected = BROKEN.map(([name, from, , to]) => shown({ rule: { name }, from, to }));
    expect(violations.map(shown).sort()).toEqual(expected.sort());
  });

  it('find a cycle that consists only of types', async () => {
    const violations = await violationsIn({
      'src/ai/a.ts': "import type { B } from './b';\nexport type A = B[];",
      'src/ai/b.ts': "import type { A } from './a';\nexport type B = A | string;",
    });

    expect(violations.map(({ rule }) => rule.name)).toEqual(['no-cycle']);
  });

  it('allow every permitted import', async () => {
    const files = Object.fromEntries(ALLOWED.map(([file, specifier]) => [file, importing(specifier)]));

    expect((await violationsIn(files)).map(shown)).toEqual([]);
  });

  it('each have a case that breaks them', async () => {
    const { forbidden } = (await import(CONFIG)) as { forbidden: { name: string; severity: string }[] };

    expect(new Set(BROKEN.map(([rule]) => rule))).toEqual(new Set(forbidden.map(({ name }) => name)));
    expect(forbidden.filter(({ severity }) => severity !== 'error')).toEqual([]);
  });
});
