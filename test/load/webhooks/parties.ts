import { join } from 'node:path';
import { request } from 'undici';
import type { ChildServer } from '../child-server';
import type { Stage } from '../stage';

/** Long enough for any order. */
const TIMEOUT_MS = 120_000;

/** A child process that takes orders. */
export class Party {
  constructor(
    readonly name: string,
    private readonly server: ChildServer,
  ) {}

  /** @throws when the order fails */
  async order<T>(name: string, numbers: Record<string, number>): Promise<T> {
    const query = Object.entries(numbers).map(([key, value]) => `${key}=${value}`);
    const options = { method: 'POST', headersTimeout: TIMEOUT_MS } as const;
    const answer = await request(`${this.server.origin}/${name}?${query.join('&')}`, options);
    const text = await answer.body.text();
    if (answer.statusCode !== 200) throw new Error(`${this.name}: ${text}`);
    return JSON.parse(text) as T;
  }

  stop(): Promise<void> {
    return this.server.stop();
  }
}

export async function startParty(
  stage: Stage,
  name: string,
  file: string,
  environment: Record<string, string>,
): Promise<Party> {
  return new Party(name, await stage.server(`webhooks-${name}`, join(__dirname, file), environment));
}

/** @param receivers a webhook each; @param redisUrl unset: the queue is on PostgreSQL */
export async function startGateway(
  stage: Stage,
  name: string,
  receivers: readonly string[],
  redisUrl?: string,
): Promise<Party> {
  const databaseUrl = await stage.database(`webhooks_${name}`);
  return startParty(stage, name, 'gateway-server.js', {
    RECEIVERS: receivers.join(' '),
    PORT: '0',
    LOG_LEVEL: 'warn',
    DATA_DIR: join(stage.directory, name),
    DATABASE_URL: databaseUrl,
    ...(redisUrl && { REDIS_URL: redisUrl }),
    WEBHOOK_ALLOW_HTTP: 'true',
    WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8',
    WEBHOOK_HOST_RATE: '0',
  });
}
