import { EmbeddedPostgres } from '#embedded-postgres';
import { InstalledPostgres } from './installed-postgres';

/** A running server with a database `gateway`, whose role of that name owns it and may make further databases. */
export interface PostgresServer {
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts the server that this run of Jest is for: the embedded one, or that of a package (the project `postgres15`). */
export function startPostgres(dataDir: string): Promise<PostgresServer> {
  const programs = process.env['TEST_POSTGRES_PROGRAMS'];
  return programs
    ? InstalledPostgres.start(dataDir, programs)
    : EmbeddedPostgres.start({ dataDir, log: () => undefined });
}
