const { execFileSync } = require('node:child_process');
const { randomUUID } = require('node:crypto');
const { existsSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');

const root = join(__dirname, '../..');
/** Gateways in tests start the built program for backups, so every project needs this file. */
const BUNDLE = join(root, 'dist/bundle/main.js');

/** Names the folder of the cluster that the workers of this run copy (postgres-template.ts), and builds the bundle if missing. */
module.exports = () => {
  process.env.TEST_TEMPLATE_DIR = join(tmpdir(), `gateway-test-template-${randomUUID()}`);
  if (existsSync(BUNDLE)) return;
  execFileSync(process.execPath, [join(root, 'scripts/build-if-stale.mjs')], { cwd: root, stdio: 'inherit' });
};
