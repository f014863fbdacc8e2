import { join } from 'node:path';
import { liftLimits } from './bench-database';
import type { ChildServer } from './child-server';
import type { Stage } from './stage';

/** The built gateway in the folder `root`, with rate limits that no client reaches, and the stage's Redis if there is one. */
export async function startGatewayServer(
  stage: Stage,
  name: string,
  databaseUrl: string,
  environment: { BOOTSTRAP_API_KEY: string } & Record<string, string>,
  root = join(__dirname, '../../..'),
): Promise<ChildServer> {
  const server = await stage.server(name, join(root, 'dist/bundle/main.js'), {
    PORT: '0',
    LOG_LEVEL: 'warn',
    DATA_DIR: join(stage.directory, name),
    DATABASE_URL: databaseUrl,
    ...stage.redis,
    ...environment,
  });
  await liftLimits(databaseUrl);
  return server;
}
