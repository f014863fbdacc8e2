import { DataDirectoryInUseError, EmbeddedPostgres } from '#embedded-postgres';
import type { Configuration } from '../core/config/configuration';
import type { JsonLogger } from '../core/observability/json-logger';

/** The database that a command works on. */
export interface CommandDatabase {
  /** Of the server itself, where DATABASE_URL is a pooler's. */
  url: string;
  /** Stops the embedded server if this process has started it. */
  close(): Promise<void>;
}

/**
 * The configured database; without DATABASE_URL the embedded one: that of the running gateway, or, while none runs, one
 * that this process starts and stops. A gateway that is started meanwhile is refused the data directory until then.
 */
export async function openDatabase(configuration: Configuration, logger: JsonLogger): Promise<CommandDatabase> {
  const { databaseUrl, databaseDirectUrl, dataDir } = configuration;
  if (databaseUrl !== undefined) {
    return { url: databaseDirectUrl ?? databaseUrl, close: () => Promise.resolve() };
  }
  try {
    const postgres = await EmbeddedPostgres.start({
      dataDir,
      log: (line) => logger.debug(line, 'PostgreSQL'),
      warn: (line) => logger.warn(line, 'PostgreSQL'),
    });
    return { url: postgres.url, close: () => postgres.stop() };
  } catch (error) {
    if (!(error instanceof DataDirectoryInUseError)) throw error;
    const postgres = await EmbeddedPostgres.running(dataDir);
    return { url: postgres.url, close: () => Promise.resolve(postgres.close()) };
  }
}
