/**
 * Who may import whom: design.md's section of that name, one rule per sentence. Paths are relative to the working
 * directory, so `test/architecture/import-rules.spec.ts` can run these very rules over a small tree that breaks each.
 */
const SPEC = '[.]spec[.]ts$';
/** Beside the code, but never part of what runs: specifications and what they start as a child process. */
const TEST_ONLY = [SPEC, '[.]fixture[.]ts$'];
/** Any module may read any table; only its owner writes it (test/architecture holds them to that). */
const ENTITY = '[.]entity[.]ts$';

/**
 * The whole list of what a feature may import of other features: not on the left, imports none; not on the right, is
 * imported by nobody (`api-keys`, `webhooks`, `admin`, `status`). A new arrow needs an ADR and must not close a circle.
 */
const FEATURE_IMPORTS = {
  admin: ['messages'],
  messages: ['accounts', 'billing', 'conversations', 'integrations', 'media'],
  billing: ['integrations'],
  timeline: ['messages', 'ai', 'conversations'],
  conversations: ['accounts', 'media'],
  media: ['accounts', 'integrations'],
  integrations: ['accounts'],
  ai: ['accounts', 'billing', 'conversations', 'messages', 'media'],
  status: ['accounts', 'ai', 'integrations'],
  operations: ['media'],
};

const listed = Object.keys(FEATURE_IMPORTS).join('|');

const featureRules = [
  ...Object.entries(FEATURE_IMPORTS).map(([feature, allowed]) => ({
    name: `feature-imports-of-${feature}`,
    comment: `src/${feature} may import of the other features only: ${allowed.join(', ')}.`,
    severity: 'error',
    from: { path: `^src/${feature}/`, pathNot: '^src/operations/cli/' },
    to: { path: '^src/[^/]+/', pathNot: [`^src/(core|${[feature, ...allowed].join('|')})/`, ENTITY] },
  })),
  {
    name: 'feature-imports-no-feature',
    comment: 'A feature that is not on the list imports core and libs only. Events and tables carry the rest.',
    severity: 'error',
    from: { path: '^src/([^/]+)/', pathNot: `^src/(core|${listed})/` },
    to: { path: '^src/[^/]+/', pathNot: ['^src/(core|$1)/', ENTITY] },
  },
];

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: 'contracts-import-nothing-of-ours',
      comment: 'libs/contracts is the wire truth that the others derive from.',
      severity: 'error',
      from: { path: '^libs/contracts/' },
      to: { path: '^(libs|src|test)/', pathNot: '^libs/contracts/' },
    },
    {
      name: 'http-client-imports-nothing-of-ours',
      comment: 'libs/http-client is a way to use a package, for src and for the adapters (ADR 29).',
      severity: 'error',
      from: { path: '^libs/http-client/', pathNot: SPEC },
      to: { path: '^(libs|src|test)/', pathNot: '^libs/http-client/' },
    },
    {
      name: 'contracts-know-no-framework',
      comment: 'Clients in a browser or another service import libs/contracts: it must not drag a server along.',
      severity: 'error',
      from: { path: '^libs/contracts/', pathNot: SPEC },
      to: {
        path: 'node_modules/(@nestjs|fastify|typeorm|bullmq|rxjs|class-validator|class-transformer|pg|ioredis)(/|$)',
      },
    },
    {
      name: 'libs-import-only-contracts',
      comment: 'A lib stands alone: of our code it imports libs/contracts and itself.',
      severity: 'error',
      from: { path: '^libs/([^/]+)/', pathNot: '^libs/(contracts|platforms|dashboard)/' },
      to: { path: '^libs/', pathNot: '^libs/($1|contracts)/' },
    },
    {
      name: 'platforms-import-only-contracts-and-http-client',
      comment: 'The adapters stand alone, but for how HTTP is spoken.',
      severity: 'error',
      from: { path: '^libs/platforms/' },
      to: { path: '^libs/', pathNot: '^libs/(platforms|contracts|http-client)/' },
    },
    {
      name: 'dashboard-imports-only-the-client',
      comment: 'The page can do what any client can: it knows the wire by libs/client alone.',
      severity: 'error',
      from: { path: '^libs/dashboard/' },
      to: { path: '^libs/', pathNot: ['^libs/dashboard/', '^libs/client/browser[.]ts$'] },
    },
    {
      name: 'libs-never-import-src',
      comment: 'The arrow goes from src to libs.',
      severity: 'error',
      from: { path: '^libs/' },
      to: { path: '^src/' },
    },
    {
      name: 'libs-have-one-door',
      comment:
        "A lib is imported by its name ('#client', '#contracts', '#embedded-postgres', '#http-client', '#platforms'): what its index.ts does not export is its own.",
      severity: 'error',
      // The client is published with the files of contracts that it needs, and there is one place that names them.
      from: { path: '^(src|libs/([^/]+))/', pathNot: '^libs/client/(contracts|signatures)[.]ts$' },
      to: { path: '^libs/[^/]+/', pathNot: ['^libs/[^/]+/index[.]ts$', '^libs/client/browser[.]ts$', '^libs/$2/'] },
    },
    {
      name: 'core-knows-no-feature',
      comment: 'src/core is the foundation: it imports libs and itself.',
      severity: 'error',
      from: { path: '^src/core/' },
      to: { path: '^src/', pathNot: '^src/core/' },
    },
    {
      name: 'only-integrations-imports-platforms',
      comment: 'Adapters stay behind one port and one owner. Tests may build adapters themselves.',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/integrations/', ...TEST_ONLY] },
      to: { path: '^libs/platforms/' },
    },
    ...featureRules,
    {
      name: 'the-application-root-is-not-imported',
      comment: 'src/*.ts compose the modules: they import features, features do not import them.',
      severity: 'error',
      from: { path: '^src/[^/]+/', pathNot: ['^src/(core|operations/cli)/', ...TEST_ONLY] },
      to: { path: '^src/[^/]+[.]ts$' },
    },
    {
      name: 'the-command-line-is-not-imported',
      comment: 'src/operations/cli composes the modules as src/*.ts do, and starts those: the gateway does without it.',
      severity: 'error',
      from: { path: '^src/[^/]+[.]ts$' },
      to: { path: '^src/operations/cli/' },
    },
    {
      name: 'production-imports-no-test',
      comment: 'What runs in production does not import what tests it.',
      severity: 'error',
      from: { path: '^(src|libs)/', pathNot: TEST_ONLY },
      to: { path: ['^test/', ...TEST_ONLY] },
    },
    {
      name: 'production-imports-no-dev-dependency',
      comment: 'The image prunes devDependencies: such an import works here and crashes there.',
      severity: 'error',
      // The dashboard is bundled by its own build: nothing of it is imported at run time.
      from: { path: '^(src|libs)/', pathNot: ['^libs/dashboard/', ...TEST_ONLY] },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'imports-only-declared-packages',
      comment: 'A package that package.json does not name is here by luck (hoisting) and leaves without notice.',
      severity: 'error',
      from: { path: '^(src|libs|test)/' },
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
    },
    {
      name: 'no-cycle',
      comment: 'A cycle (also one of types only) means that two things are one, or that an arrow points the wrong way.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-unresolvable',
      comment: 'An import that cannot be resolved escapes every other rule.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: 'no-orphan',
      comment: 'A file that nobody imports and that imports nobody is dead.',
      severity: 'error',
      // Entry points that may stand alone: the process, and what Node, TypeORM or Jest loads by name.
      from: {
        orphan: true,
        path: '^(src|libs|test)/',
        pathNot: ['^src/(operations/cli/)?main[.]ts$', '^test/support/[^/]+-setup[.]cjs$', ...TEST_ONLY, '[.]d[.]ts$'],
      },
      to: {},
    },
  ],
  options: {
    doNotFollow: { path: ['node_modules', '^dist/'] },
    exclude: { path: '^libs/client/dist/' },
    // Type imports count: they are dependencies of the design, and emitDecoratorMetadata makes many of them real.
    tsPreCompilationDeps: true,
    // package.json's "imports" lead into dist/ for Node; the rules are about the sources.
    webpackConfig: { fileName: `${__dirname}/test/architecture/resolve-libs.cjs` },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'types', 'default'],
      mainFields: ['main', 'types'],
    },
    builtInModules: { add: ['node:sqlite', 'node:test', 'node:sea'] },
  },
};
