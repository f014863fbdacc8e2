const { projects, ...rest } = require('./jest.config.cjs');

/** Slow tests that break things, with their own command: `npm run test:faults`. @type {import('jest').Config} */
module.exports = {
  ...rest,
  projects: [
    {
      ...projects.find(({ displayName }) => displayName === 'process'),
      displayName: 'faults',
      testMatch: ['<rootDir>/test/faults/**/*.spec.ts'],
    },
  ],
};
