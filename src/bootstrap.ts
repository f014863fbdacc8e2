import { mkdirSync } from 'node:fs';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createApp } from './app.setup';
import { BootstrapKeys } from './api-keys/bootstrap-keys.service';
import { SignInCode } from './api-keys/sign-in/sign-in-code.service';
import type { Configuration } from './core/config/configuration';
import { databaseLog, migrateDatabase } from './core/database/data-source';
import { DataDirectoryLock, EmbeddedPostgres } from '#embedded-postgres';
import { JsonLogger } from './core/observability/json-logger';
import { endPredecessorLeases } from './predecessor-leases';
import { RequestDrain } from './status/request-drain.service';

/** For `localhost`, Fastify would make a second server, without our limits and without the drain at a stop. */
const LOOPBACK = '127.0.0.1';

/** A running gateway. */
export interface Gateway {
  app: NestFastifyApplication;
  /** Its address, e.g. `http://127.0.0.1:3000`. */
  url: string;
  /** Keys that this start created, shown only once. */
  createdKeys: readonly string[];
  /** A code that can be exchanged for these keys once, within ten minutes: `/dashboard#code=…`. */
  signInCode?: string;
  databaseUrl: string;
  /**
   * Serves for SHUTDOWN_DELAY_SECONDS, then takes no more work, finishes or releases current work, and stops the embedded
   * database, if any.
   */
  close(): Promise<void>;
}

/** The parts that all processes of a gateway share. */
export interface Prepared {
  /** The address of a migrated database. */
  databaseUrl: string;
  /** Stops the embedded database, if any, and releases DATA_DIR. */
  leave: () => Promise<void>;
}

/** Locks DATA_DIR and makes the database ready. */
export async function prepareDeployment(configuration: Configuration): Promise<Prepared> {
  const logger = new JsonLogger(configuration.log);
  const { databaseDirectUrl } = configuration;
  const embedded = configuration.databaseUrl === undefined ? await startPostgres(configuration, logger) : undefined;
  // The embedded database holds the lock while it runs.
  const lock = embedded ? undefined : lockOf(configuration);
  const databaseUrl = configuration.databaseUrl ?? embedded!.url;
  const leave = async () => {
    await embedded?.stop();
    lock?.release();
  };
  try {
    await migrateDatabase(databaseDirectUrl ?? databaseUrl, databaseLog(logger));
    if (embedded) await endPredecessorLeases(databaseUrl);
  } catch (error) {
    await leave();
    throw error;
  }
  return { databaseUrl, leave };
}

function lockOf({ dataDir }: Configuration): DataDirectoryLock {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  return DataDirectoryLock.acquire(dataDir);
}

/**
 * Starts the parts in the order of their dependencies; on failure it stops those that have started.
 * @param keepFirstKeys gets the keys that this start creates before they are valid; if it throws, none is created
 * @param prepared by default this process prepares the deployment
 */
export async function startGateway(
  configuration: Configuration,
  keepFirstKeys: (keys: readonly string[]) => void = () => undefined,
  prepared?: Prepared,
): Promise<Gateway> {
  const logger = new JsonLogger(configuration.log);
  const { databaseUrl, leave } = prepared ?? (await prepareDeployment(configuration));
  let app: NestFastifyApplication | undefined;
  try {
    const created = await createApp(configuration, databaseUrl, logger);
    app = created;
    const { host, port } = configuration.http;
    await created.listen(port, host === 'localhost' ? LOOPBACK : host);
    const createdKeys = await created.get(BootstrapKeys).makeFirst(keepFirstKeys);
    return {
      app: created,
      url: (await created.getUrl()).replace('[::1]', 'localhost'),
      createdKeys,
      signInCode: createdKeys.length > 0 ? await created.get(SignInCode).issue(createdKeys) : undefined,
      databaseUrl,
      close: async () => {
        try {
          await created.get(RequestDrain).announce();
          await created.close();
        } finally {
          await leave();
        }
      },
    };
  } catch (error) {
    logger.mute();
    // The application may already run its adapters and workers, e.g. if the port was in use.
    await app?.close().catch(() => undefined);
    await leave();
    throw error;
  }
}

function startPostgres({ dataDir }: Configuration, logger: JsonLogger): Promise<EmbeddedPostgres> {
  return EmbeddedPostgres.start({
    dataDir,
    log: (line) => logger.log(line, 'PostgreSQL'),
    warn: (line) => logger.warn(line, 'PostgreSQL'),
  });
}
