const { execFileSync } = require('node:child_process');
const { accessSync, chmodSync, constants, existsSync, mkdtempSync, statfsSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');

const root = join(__dirname, '../..');
/** Gateways in tests start the built program for backups, so every project needs this file. */
const BUNDLE = join(root, 'dist/bundle/main.js');

/** The clusters of four workers take a tenth of it. */
const LEAST_MEMORY = 4 * 2 ** 30;

/** Makes the folder of this run's clusters, of which the workers copy the first (postgres-template.ts), and builds the bundle if missing. */
module.exports = () => {
  process.env.TEST_CLUSTERS_DIR = mkdtempSync(join(clustersParent(), 'gateway-test-clusters-'));
  // See passable-folder.ts.
  chmodSync(process.env.TEST_CLUSTERS_DIR, 0o711);
  if (existsSync(BUNDLE)) return;
  execFileSync(process.execPath, [join(root, 'scripts/build-if-stale.mjs')], { cwd: root, stdio: 'inherit' });
};

/** In memory, if there is enough: nearly every spec file copies a cluster and databases, and a disk makes that dear. */
function clustersParent() {
  const memory = '/dev/shm';
  try {
    accessSync(memory, constants.W_OK);
    const { bavail, bsize } = statfsSync(memory);
    if (bavail * bsize >= LEAST_MEMORY) return memory;
  } catch {
    // Not on this system, or not for this user.
  }
  return tmpdir();
}
