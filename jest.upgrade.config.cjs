const { projects, ...rest } = require('./jest.config.cjs');

/** From the previous version to this one under load, with its own command: `npm run test:upgrade`. @type {import('jest').Config} */
module.exports = {
  ...rest,
  projects: [
    {
      ...projects.find(({ displayName }) => displayName === 'process'),
      displayName: 'upgrade',
      testMatch: ['<rootDir>/test/upgrade/**/*.spec.ts'],
    },
  ],
};
