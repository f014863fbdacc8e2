const { resolve } = require('node:path');

/** Where the import rules find the libs: their sources, while package.json's "imports" name what Node runs in dist/. */
module.exports = {
  resolve: {
    alias: {
      '#client': resolve('libs/client/browser.ts'),
      '#contracts': resolve('libs/contracts/index.ts'),
      '#embedded-postgres': resolve('libs/embedded-postgres/index.ts'),
      '#http-client': resolve('libs/http-client/index.ts'),
      '#platforms': resolve('libs/platforms/index.ts'),
    },
  },
};
