const { existsSync } = require('node:fs');

/** Where the package `postgresql-15` of Debian and Ubuntu puts its programs. */
const PROGRAMS = '/usr/lib/postgresql/15/bin';

/** Makes the workers of this run start PostgreSQL 15 instead of the embedded server (see postgres-server.ts). */
module.exports = () => {
  if (!existsSync(`${PROGRAMS}/postgres`))
    throw new Error(`PostgreSQL 15 is missing (${PROGRAMS}): install the package postgresql-15 of Debian or Ubuntu`);
  process.env.TEST_POSTGRES_PROGRAMS = PROGRAMS;
};
