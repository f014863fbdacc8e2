const { projects, ...rest } = require('./jest.config.cjs');

const projectOf = (name) => projects.find(({ displayName }) => displayName === name);

/**
 * What an attack found, each point with its figure: `npm run test:hostile`. `test/hostile` holds the specs that take long;
 * the quick ones have "hostile" in their names and are in `npm test` too. @type {import('jest').Config}
 */
module.exports = {
  ...rest,
  projects: [
    {
      ...projectOf('process'),
      displayName: 'hostile',
      testMatch: ['<rootDir>/test/hostile/**/*.spec.ts'],
    },
    {
      ...projectOf('e2e'),
      displayName: 'quick',
      testMatch: ['<rootDir>/test/e2e/**/*hostile*.spec.ts'],
    },
  ],
};
