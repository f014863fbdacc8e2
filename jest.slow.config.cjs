const { projects, ...rest } = require('./jest.config.cjs');

/** Tests that wait for the gateway's own long times, with their own command: `npm run test:slow`. @type {import('jest').Config} */
module.exports = {
  ...rest,
  projects: [
    {
      ...projects.find(({ displayName }) => displayName === 'process'),
      displayName: 'slow',
      testMatch: ['<rootDir>/test/slow/**/*.spec.ts'],
    },
  ],
};
