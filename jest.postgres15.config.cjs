const { projects, ...rest } = require('./jest.config.cjs');

/**
 * The migrations, the main job, webhooks, lists and limits once more, on the oldest PostgreSQL that is supported:
 * `npm run test:postgres15`. @type {import('jest').Config}
 */
module.exports = {
  ...rest,
  projects: [
    {
      ...projects.find(({ displayName }) => displayName === 'e2e'),
      displayName: 'postgres15',
      globalSetup: '<rootDir>/test/support/postgres15-setup.cjs',
      testMatch: [
        'messages/main-job',
        'webhooks/*',
        '*/*-lists',
        'http/http',
        'api-keys/*-limits',
        'admin/admin',
        'core/database',
      ].map((name) => `<rootDir>/test/e2e/${name}.spec.ts`),
    },
  ],
};
