const { execFileSync } = require('node:child_process');
const { randomUUID } = require('node:crypto');
const { existsSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');

const root = join(__dirname, '../..');
/** Processes of the gateway run as they are built, and so does the one that makes a backup, whatever starts it. */
const BUNDLE = join(root, 'dist/bundle/main.js');

/** Where the workers of one run find the cluster that they copy, see postgres-template.ts; it is made when first wanted. */
module.exports = () => {
  process.env.TEST_TEMPLATE_DIR = join(tmpdir(), `gateway-test-template-${randomUUID()}`);
  if (existsSync(BUNDLE)) return;
  execFileSync(process.execPath, [join(root, 'scripts/build-if-stale.mjs')], { cwd: root, stdio: 'inherit' });
};
