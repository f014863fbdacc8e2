const { execFileSync } = require('node:child_process');

/** Has the gateways of this run reach their databases through PgBouncer, see pooler.ts, and says which version it is. */
module.exports = () => {
  process.env.TEST_PGBOUNCER = '1';
  const said = execFileSync(process.env.TEST_PGBOUNCER_PROGRAM ?? 'pgbouncer', ['--version'], { encoding: 'utf8' });
  process.stdout.write(`  ${said.split('\n')[0]}\n`);
};
