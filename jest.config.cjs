const { availableParallelism } = require('node:os');

/** Specs of test/e2e that run the built gateway as processes of their own: it is built first, once. */
const PROCESS_SPECS = require('./test/rooms/process-specs.json').map((name) => `<rootDir>/test/e2e/${name}`);

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
    '^(\\.{1,2}/(?:.*/)?(?:anthropic[.]provider|data-source|doctor-checks|object-store|opentelemetry-tracer|discord-bot[.]module|diagnosis))[.]js$':
      '$1',
  },
  // The client as it is packed, beside its sources.
  modulePathIgnorePatterns: ['<rootDir>/libs/client/dist/'],
  testEnvironment: 'node',
};

/** Options whose value is a word of its own. */
const WITH_VALUE = ['-t', '--testNamePattern', '-w', '--maxWorkers', '-c', '--config', '--shard', '--selectProjects'];
const words = process.argv.slice(2);
/** Specs that are named on the command line run each by itself; all of them run in their rooms, see test/rooms/room.ts. */
const isNamed = words.some((word, index) => !/^-|test.rooms/.test(word) && !WITH_VALUE.includes(words[index - 1]));
const E2E = isNamed ? '<rootDir>/test/e2e/**/*.spec.ts' : '<rootDir>/test/rooms/*.spec.ts';

module.exports = {
  testTimeout: 30_000,
  // Jest would keep one core free; the longest specs mostly wait, for leases to run out and processes to end. A number,
  // because Jest takes no more than 100%.
  maxWorkers: Math.ceil(availableParallelism() * 1.5),
  // Each spec file leaves some of its modules behind. Of the heap: the process then has about 1 GB.
  workerIdleMemoryLimit: '600MB',
  testSequencer: '<rootDir>/test/support/longest-first.cjs',
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
      testMatch: [E2E, '<rootDir>/test/{architecture,demo}/**/*.spec.ts'],
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
