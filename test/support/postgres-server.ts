import { EmbeddedPostgres } from '#embedded-postgres';
import { InstalledPostgres } from './installed-postgres';

/** A running server with a database `gateway`. The role `gateway` owns it and may create databases. */
export interface PostgresServer {
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts the embedded server or, in the Jest project `postgres15`, the one of the distribution's package. */
export function startPostgres(dataDir: string): Promise<PostgresServer> {
  const programs = process.env['TEST_POSTGRES_PROGRAMS'];
  return programs
    ? InstalledPostgres.start(dataDir, programs)
    : EmbeddedPostgres.start({ dataDir, log: () => undefined });
}
