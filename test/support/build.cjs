const { execFileSync } = require('node:child_process');
const { join } = require('node:path');
const buildDashboard = require('./build-dashboard.cjs');

/** Jest's global set-up for specs that run the built gateway: builds it if the sources are newer. */
module.exports = () => {
  const root = join(__dirname, '../..');
  execFileSync(process.execPath, [join(root, 'scripts/build-if-stale.mjs')], { cwd: root, stdio: 'inherit' });
  // Otherwise each started gateway builds the dashboard while the tests run.
  buildDashboard();
};
