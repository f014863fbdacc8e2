import type { Server } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createApp } from './app.setup';
import { BootstrapKeys } from './api-keys/bootstrap-keys.service';
import type { Configuration } from './core/config/configuration';
import { migrateDatabase } from './core/database/data-source';
import { EmbeddedPostgres } from '#embedded-postgres';
import { JsonLogger } from './core/observability/json-logger';

const REAP_MS = 100;
/** Requests, and with them the listener, may go on this long after the stop began, in milliseconds. */
const REQUEST_GRACE_MS = 30_000;

/** A running gateway. */
export interface Gateway {
  app: NestFastifyApplication;
  /** Its address, e.g. `http://127.0.0.1:3000`. */
  url: string;
  /** Keys that this start created, shown only once. */
  createdKeys: readonly string[];
  databaseUrl: string;
  /** Takes no more work, finishes or releases the current work, then stops the embedded database, if any. */
  close(): Promise<void>;
}

/** Starts the parts in the order of their dependencies; on failure it stops those that have started. */
export async function startGateway(configuration: Configuration): Promise<Gateway> {
  // V8 would allocate objects of requests in the old space once many of them were promoted (ADR 29).
  setFlagsFromString('--no-allocation-site-pretenuring');
  const logger = new JsonLogger(configuration.log);
  const { withoutEffect } = configuration;
  if (withoutEffect.length > 0)
    logger.warn(`Without effect in this version: ${withoutEffect.join(', ')}`, 'Configuration');
  const postgres = configuration.databaseUrl ? undefined : await startPostgres(configuration, logger);
  const databaseUrl = configuration.databaseUrl ?? postgres!.url;
  let app: NestFastifyApplication | undefined;
  try {
    const log = {
      info: (line: string) => logger.log(line, 'Database'),
      warn: (line: string) => logger.warn(line, 'Database'),
    };
    await migrateDatabase(databaseUrl, log);
    const created = await createApp(configuration, databaseUrl, logger);
    app = created;
    const { host, port } = configuration.http;
    await created.listen(port, host);
    const createdKeys = await created.get(BootstrapKeys).makeFirst();
    return {
      app: created,
      url: (await created.getUrl()).replace('[::1]', 'localhost'),
      createdKeys,
      databaseUrl,
      close: async () => {
        const stopReaping = reapConnections(created.getHttpServer());
        try {
          await created.close();
        } finally {
          stopReaping();
          await postgres?.stop();
        }
      },
    };
  } catch (error) {
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

/**
 * When a server closes, Node closes idle connections, but not those that become idle afterwards: with a client that keeps
 * its connection, a stop would last until the keep-alive timeout. After the grace, it cuts requests that have not ended, and
 * later ones, until the listener is closed.
 * @returns stops the timers
 */
function reapConnections(server: Server): () => void {
  let late = false;
  const cut = setTimeout(() => {
    late = true;
    server.closeAllConnections();
  }, REQUEST_GRACE_MS);
  const reap = setInterval(() => {
    if (server.listening) return;
    if (late) server.closeAllConnections();
    else server.closeIdleConnections();
  }, REAP_MS);
  return () => {
    clearInterval(reap);
    clearTimeout(cut);
  };
}
