import { access } from 'node:fs/promises';
import { DataDirectoryInUseError, EmbeddedPostgres, hasCluster, placesIn } from '#embedded-postgres';
import type { Configuration } from '../../core/config/configuration';
import type { JsonLogger } from '../../core/observability/json-logger';
import { CommandFailure } from './failure';

export interface CommandDatabase {
  /** URL of the server itself if DATABASE_URL is a pooler's. */
  url: string;
  /** Stops the embedded server if this process has started it. */
  close(): Promise<void>;
}

/** The configured database, which must exist. @throws CommandFailure if DATA_DIR has none */
export async function openDatabase(configuration: Configuration, logger: JsonLogger): Promise<CommandDatabase> {
  const { databaseUrl, dataDir } = configuration;
  if (databaseUrl === undefined && !hasCluster(placesIn(dataDir)))
    throw new CommandFailure(
      `${await noDatabaseIn(dataDir)}. Start the gateway first, or give this command its environment (--env-file)`,
    );
  return openOrMakeDatabase(configuration, logger);
}

/**
 * The configured database. Without DATABASE_URL it is the embedded database of the running gateway. If no gateway runs, this
 * process starts the server, and makes the database if there is none; a gateway that starts meanwhile is refused the data
 * directory.
 */
export async function openOrMakeDatabase(configuration: Configuration, logger: JsonLogger): Promise<CommandDatabase> {
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

/** Says where the command looked: its environment may differ from the gateway's. */
export async function noDatabaseIn(dataDir: string): Promise<string> {
  const code = await access(placesIn(dataDir).cluster).then(
    () => undefined,
    (error: unknown) => (error as NodeJS.ErrnoException).code,
  );
  const what = code === 'EACCES' ? 'this user may not look into it' : 'it has no database';
  return `DATABASE_URL is not set, and DATA_DIR is ${dataDir}: ${what}`;
}
