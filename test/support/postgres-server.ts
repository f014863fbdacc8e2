import { EmbeddedPostgres } from '#embedded-postgres';
import { InstalledPostgres } from './installed-postgres';

/** A running server with a database `gateway`, whose role of that name owns it and may make further databases. */
export interface PostgresServer {
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts the server of this run of Jest: the embedded one, or a package's (the project `postgres15`). */
export function startPostgres(dataDir: string): Promise<PostgresServer> {
  const programs = process.env['TEST_POSTGRES_PROGRAMS'];
  return programs
    ? InstalledPostgres.start(dataDir, programs)
    : EmbeddedPostgres.start({ dataDir, log: () => undefined });
}
