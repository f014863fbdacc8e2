const { spawnSync } = require('node:child_process');

/**
 * Makes the gateways of this run use their databases through PgBouncer in transaction mode (see pooler.ts), and prints
 * its version. TEST_PGBOUNCER_PROGRAM names a program other than the installed one.
 */
module.exports = () => {
  process.env.TEST_PGBOUNCER = '1';
  const { stdout } = spawnSync(process.env.TEST_PGBOUNCER_PROGRAM ?? 'pgbouncer', ['--version'], { encoding: 'utf8' });
  if (!stdout) throw new Error('PgBouncer is missing: install the package pgbouncer of Debian or Ubuntu');
  process.stdout.write(`  ${stdout.split('\n')[0]}\n`);
};
