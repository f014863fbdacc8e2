const { spawnSync } = require('node:child_process');
const { projects, ...rest } = require('./jest.config.cjs');

const e2e = projects.find(({ displayName }) => displayName === 'e2e');
const isInstalled = spawnSync('pgbouncer', ['--version']).status === 0;
if (!isInstalled)
  process.stderr.write('\n*** No pgbouncer on PATH (package pgbouncer): the tests through it are LEFT OUT ***\n\n');

const SPECS = [
  'e2e/messages/main-job',
  'e2e/webhooks/webhooks',
  'e2e/webhooks/webhooks-{catalogue,failure,locks,meanwhile}',
  'e2e/*/*-lists',
  'pgbouncer/*',
];

/**
 * The main job, webhooks and lists once more, through a real PgBouncer in transaction mode: `npm run test:pgbouncer`.
 * TEST_PGBOUNCER_PROGRAM names another program than the installed one. @type {import('jest').Config}
 */
module.exports = {
  ...rest,
  passWithNoTests: !isInstalled,
  projects: [
    {
      ...e2e,
      displayName: 'pgbouncer',
      ...(isInstalled && { globalSetup: '<rootDir>/test/support/pgbouncer-setup.cjs' }),
      // An empty list would mean every test.
      testMatch: isInstalled ? SPECS.map((name) => `<rootDir>/test/${name}.spec.ts`) : ['<rootDir>/none'],
    },
  ],
};
