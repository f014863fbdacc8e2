import { join } from 'node:path';
import { liftLimits } from './bench-database';
import type { Stage } from './stage';

/** The gateway as it is run, with limits that nobody meets. @returns where it listens */
export async function startGatewayServer(
  stage: Stage,
  name: string,
  databaseUrl: string,
  environment: { BOOTSTRAP_API_KEY: string } & Record<string, string>,
): Promise<string> {
  const { origin } = await stage.server(name, join(__dirname, '../../src/main.js'), {
    PORT: '0',
    LOG_LEVEL: 'warn',
    DATA_DIR: join(stage.directory, name),
    DATABASE_URL: databaseUrl,
    ...environment,
  });
  await liftLimits(databaseUrl);
  return origin;
}
