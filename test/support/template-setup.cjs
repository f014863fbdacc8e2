const { execFileSync } = require('node:child_process');
const { randomUUID } = require('node:crypto');
const { existsSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');

const root = join(__dirname, '../..');
/** The process that makes a backup runs as it is built, whatever starts it. */
const BACKUP_PROCESS = join(root, 'dist/src/admin/backups/process/backup-process.js');

/** Where the workers of one run find the cluster that they copy, see postgres-template.ts; it is made when first wanted. */
module.exports = () => {
  process.env.TEST_TEMPLATE_DIR = join(tmpdir(), `gateway-test-template-${randomUUID()}`);
  if (existsSync(BACKUP_PROCESS)) return;
  execFileSync(process.execPath, [join(root, 'bin/build-if-stale.mjs')], { cwd: root, stdio: 'inherit' });
};
