const { projects, ...rest } = require('./jest.config.cjs');

/** Restarts under load behind a real nginx, with their own command: `npm run test:nginx`. @type {import('jest').Config} */
module.exports = {
  ...rest,
  projects: [
    {
      ...projects.find(({ displayName }) => displayName === 'process'),
      displayName: 'nginx',
      testMatch: ['<rootDir>/test/nginx/**/*.spec.ts'],
    },
  ],
};
