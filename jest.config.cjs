const { availableParallelism } = require('node:os');

/** @type {import('jest').Config} */
const shared = {
  rootDir: __dirname,
  transform: { '^.+\\.ts$': '@swc/jest' },
  moduleNameMapper: {
    // The page's own name for it.
    '^#client$': '<rootDir>/libs/client/browser.ts',
    '^#contracts$': '<rootDir>/libs/contracts/index.ts',
    '^#embedded-postgres$': '<rootDir>/libs/embedded-postgres/index.ts',
    '^#http-client$': '<rootDir>/libs/http-client/index.ts',
    '^#platforms$': '<rootDir>/libs/platforms/index.ts',
    // Imported by the program only where it is used, under the name that it has when built.
    '^(\\.{1,2}/(?:.*/)?(?:anthropic[.]provider|doctor-checks|object-store|opentelemetry-tracer))[.]js$': '$1',
  },
  // The client as it is packed, beside its sources.
  modulePathIgnorePatterns: ['<rootDir>/libs/client/dist/'],
  testEnvironment: 'node',
};

/** Specs that run the built gateway as processes of their own: it is built first, once. */
const PROCESS_SPECS = [
  'admin/backup-faults',
  'core/command-line',
  'core/closed-folder',
  'core/first-keys',
  'core/first-page',
  'core/old-postgres',
  'core/start-faults',
  'core/tracing',
  'core/two-instances',
  'core/two-instances-redis',
  'messages/books',
  'messages/crash',
  'status/stop',
  'status/stop-under-way',
].map((name) => `<rootDir>/test/e2e/${name}.spec.ts`);

module.exports = {
  testTimeout: 30_000,
  // Jest would keep one core free; the longest specs mostly wait, for leases to run out and processes to end. A number,
  // because Jest takes no more than 100%.
  maxWorkers: Math.ceil(availableParallelism() * 1.5),
  // Each spec file leaves some of its modules behind. Of the heap: the process then has about 1 GB.
  workerIdleMemoryLimit: '600MB',
  globalSetup: '<rootDir>/test/support/template-setup.cjs',
  globalTeardown: '<rootDir>/test/support/template-teardown.cjs',
  reporters: ['default', '<rootDir>/test/conformance/table.reporter.cjs'],
  projects: [
    {
      ...shared,
      displayName: 'unit',
      testMatch: ['<rootDir>/{src,libs}/**/*.spec.ts', '<rootDir>/test/fakes/**/*.spec.ts'],
    },
    { ...shared, displayName: 'conformance', testMatch: ['<rootDir>/test/conformance/**/*.spec.ts'] },
    {
      ...shared,
      displayName: 'e2e',
      testMatch: ['<rootDir>/test/{e2e,architecture,demo}/**/*.spec.ts'],
      testPathIgnorePatterns: ['/node_modules/', ...PROCESS_SPECS],
    },
    {
      ...shared,
      displayName: 'browser',
      testMatch: ['<rootDir>/test/browser/**/*.spec.ts'],
      globalSetup: '<rootDir>/test/support/build-dashboard.cjs',
    },
    {
      ...shared,
      displayName: 'process',
      testMatch: PROCESS_SPECS,
      globalSetup: '<rootDir>/test/support/build.cjs',
    },
  ],
};
