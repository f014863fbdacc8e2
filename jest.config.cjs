const { availableParallelism } = require('node:os');

/** Settings of every project. @type {import('jest').Config} */
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
    '^(\\.{1,2}/(?:.*/)?(?:(?:anthropic|openai)[.]provider|data-source|doctor-checks|object-store|s3-storage|opentelemetry-tracer|discord-bot[.]module|diagnosis))[.]js$':
      '$1',
  },
  // The client as it is packed, beside its sources.
  modulePathIgnorePatterns: ['<rootDir>/libs/client/dist/'],
  // With both, a run takes a third less time.
  testEnvironment: '<rootDir>/test/support/jest/shared-realm.environment.cjs',
  runtime: '<rootDir>/test/support/jest/shared-packages.runtime.cjs',
};

/**
 * @param specs paths and patterns, without the ending of a spec
 * @param setup runs once, before the specs of the project
 */
const project = (displayName, specs, setup) => ({
  ...shared,
  displayName,
  testMatch: specs.map((path) => `<rootDir>/${path}.spec.ts`),
  ...(setup && { globalSetup: `<rootDir>/test/support/${setup}.cjs` }),
});

/** The suites of a plain `npm test`. */
const QUICK = ['unit', 'conformance', 'e2e', 'browser', 'process'];
/** `--selectProjects slow` runs another one: some run the same specs in other surroundings. */
const isSelected = process.argv.some((argument) => argument.startsWith('--selectProjects'));

module.exports = {
  testTimeout: 60_000,
  // Jest would keep one core free; the longest specs mostly wait, for leases to run out and processes to end. A number,
  // because Jest takes no more than 100%.
  maxWorkers: availableParallelism() * 2,
  // Each spec file leaves some of its modules behind. Of the heap: the process then has about 1 GB.
  workerIdleMemoryLimit: '600MB',
  globalSetup: '<rootDir>/test/support/template-setup.cjs',
  globalTeardown: '<rootDir>/test/support/template-teardown.cjs',
  reporters: ['default', '<rootDir>/test/conformance/table.reporter.cjs'],
  projects: [
    project('unit', ['{src,libs,test/fakes}/**/*']),
    project('conformance', ['test/conformance/**/*']),
    project('e2e', ['test/{e2e,architecture,demo}/**/*']),
    project('browser', ['test/browser/*'], 'build-dashboard'),
    // These run the built gateway as processes of their own.
    project('process', ['test/process/**/*'], 'build'),
    project('slow', ['test/slow/*'], 'build'),
    project('faults', ['test/faults/*'], 'build'),
    project('hostile', ['test/hostile/*', 'test/e2e/**/*hostile*'], 'build'),
    project('nginx', ['test/nginx/*'], 'build'),
    project('upgrade', ['test/upgrade/*'], 'build'),
    project(
      'pgbouncer',
      ['e2e/messages/main-job', 'e2e/webhooks/webhooks', 'e2e/webhooks/webhooks-{catalogue,failure,locks,meanwhile}']
        .concat('e2e/*/*-lists', 'pgbouncer/*')
        .map((name) => `test/${name}`),
      'pgbouncer-setup',
    ),
    // On the oldest PostgreSQL that is supported.
    project(
      'postgres15',
      [
        'messages/main-job',
        'webhooks/*',
        '*/*-lists',
        'http/http',
        'api-keys/*-limits',
        'admin/admin',
        'core/database',
      ].map((name) => `test/e2e/${name}`),
      'postgres15-setup',
    ),
  ].filter(({ displayName }) => isSelected || QUICK.includes(displayName)),
};
