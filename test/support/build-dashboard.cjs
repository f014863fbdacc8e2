const { execFileSync } = require('node:child_process');
const { join } = require('node:path');

/** Jest's global set-up for specs that open the dashboard: builds it once, before the first spec. */
module.exports = () => {
  const root = join(__dirname, '../..');
  execFileSync(process.execPath, [join(root, 'scripts/build-dashboard.mjs'), '--if-stale'], {
    cwd: root,
    stdio: 'inherit',
  });
};
