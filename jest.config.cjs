/** @type {import('jest').Config} */
const shared = {
  rootDir: __dirname,
  transform: { '^.+\\.ts$': '@swc/jest' },
  moduleNameMapper: {
    '^#contracts$': '<rootDir>/libs/contracts/index.ts',
    '^#platforms$': '<rootDir>/libs/platforms/index.ts',
  },
  testEnvironment: 'node',
};

module.exports = {
  testTimeout: 30_000,
  projects: [
    {
      ...shared,
      displayName: 'unit',
      testMatch: ['<rootDir>/{src,libs}/**/*.spec.ts', '<rootDir>/test/fakes/**/*.spec.ts'],
    },
    { ...shared, displayName: 'conformance', testMatch: ['<rootDir>/test/conformance/**/*.spec.ts'] },
    { ...shared, displayName: 'e2e', testMatch: ['<rootDir>/test/{e2e,architecture}/**/*.spec.ts'] },
  ],
};
