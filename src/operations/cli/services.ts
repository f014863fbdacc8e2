import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { SettingsService } from '../../core/settings/settings.service';
import { ClockSync } from '../../core/database/clock-sync.service';
import { pendingMigrations } from '../../core/database/data-source';
import { CliModule } from './cli.module';
import type { CommandContext } from './command-context';
import { openDatabase } from './database';
import { CommandFailure } from './failure';

/**
 * Gives a command the gateway's services on its database, whether a gateway runs or not. The application is created but
 * never initialised: Nest runs no hook that starts workers, schedules, listeners or platforms.
 * @throws CommandFailure if the schema is older than this version
 */
export async function withServices<T>(
  { configuration, logger }: CommandContext,
  work: (services: INestApplicationContext) => Promise<T>,
): Promise<T> {
  const database = await openDatabase(configuration, logger);
  try {
    const pending = await pendingMigrations(database.url);
    if (pending > 0) {
      throw new CommandFailure(
        `The schema of the database lacks ${pending} migrations of this version: run "gateway migrate", or start the gateway`,
      );
    }
    const root = CliModule.forRoot(configuration, database.url);
    const services = await NestFactory.create(root, new FastifyAdapter({ logger: false }), {
      logger,
      bodyParser: false,
      abortOnError: false,
    });
    const release = closeOnSignal(() => services.close());
    try {
      await services.get(ClockSync).measure();
      await services.get(SettingsService).reload();
      return await work(services);
    } finally {
      release();
      await services.close();
    }
  } finally {
    await database.close();
  }
}

/** The first signal closes the services, as a stop of the gateway would; a second signal ends the process. */
function closeOnSignal(close: () => Promise<void>): () => void {
  const stop = (): void => void close().finally(() => process.exit(130));
  process.once('SIGINT', stop).once('SIGTERM', stop);
  return () => {
    process.off('SIGINT', stop).off('SIGTERM', stop);
  };
}
