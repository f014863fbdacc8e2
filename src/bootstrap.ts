import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createApp } from './app.setup';
import { BootstrapKeys } from './api-keys/bootstrap-keys.service';
import { SignInCode } from './api-keys/sign-in/sign-in-code.service';
import type { Configuration } from './core/config/configuration';
import { databaseLog, migrateDatabase } from './core/database/data-source';
import { EmbeddedPostgres } from '#embedded-postgres';
import { listenAt } from './core/http/hardening/listening';
import { JsonLogger } from './core/observability/json-logger';
import { endPredecessorLeases } from './predecessor-leases';
import { RequestDrain } from './status/request-drain.service';

/** A running gateway. */
export interface Gateway {
  app: NestFastifyApplication;
  /** Its address, e.g. `http://127.0.0.1:3000`. */
  url: string;
  /** Keys that this start created, shown only once. */
  createdKeys: readonly string[];
  /** Stands for these keys once, for ten minutes: `/dashboard#code=…`. */
  signInCode?: string;
  databaseUrl: string;
  /** Serves for SHUTDOWN_DELAY_SECONDS, then takes no more work, finishes or releases the current work, then stops the embedded database, if any. */
  close(): Promise<void>;
}

/**
 * Starts the parts in the order of their dependencies; on failure it stops those that have started.
 * @param keepFirstKeys is given the keys that this start creates before they are valid; if it throws, there are none
 */
export async function startGateway(
  configuration: Configuration,
  keepFirstKeys: (keys: readonly string[]) => void = () => undefined,
): Promise<Gateway> {
  const logger = new JsonLogger(configuration.log);
  const postgres = configuration.databaseUrl ? undefined : await startPostgres(configuration, logger);
  const databaseUrl = configuration.databaseUrl ?? postgres!.url;
  let app: NestFastifyApplication | undefined;
  try {
    await migrateDatabase(configuration.databaseDirectUrl ?? databaseUrl, databaseLog(logger));
    if (postgres) await endPredecessorLeases(databaseUrl);
    const created = await createApp(configuration, databaseUrl, logger);
    app = created;
    await listenAt(created, configuration.http, (line) => logger.warn(line, 'Listener'));
    const createdKeys = await created.get(BootstrapKeys).makeFirst(keepFirstKeys);
    return {
      app: created,
      url: (await created.getUrl()).replace('[::1]', 'localhost'),
      createdKeys,
      signInCode: createdKeys.length > 0 ? created.get(SignInCode).issue(createdKeys) : undefined,
      databaseUrl,
      close: async () => {
        try {
          await created.get(RequestDrain).announce();
          await created.close();
        } finally {
          await postgres?.stop();
        }
      },
    };
  } catch (error) {
    logger.mute();
    // The application may already run its adapters and workers, e.g. if the port was taken.
    await app?.close().catch(() => undefined);
    await postgres?.stop();
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
