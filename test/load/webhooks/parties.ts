import { join } from 'node:path';
import { request } from 'undici';
import type { Measured } from '../bench.port';
import type { ChildServer } from '../child-server';
import type { Stage } from '../stage';

/** The maximum time of an order, in milliseconds. */
const TIMEOUT_MS = 120_000;

/** A child process that takes orders. */
export class Party {
  constructor(
    readonly name: string,
    private readonly server: ChildServer,
  ) {}

  get pid(): number {
    return this.server.pid;
  }

  /** @throws if the order fails */
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

/** A party that records deliveries. An order is done when all its deliveries are recorded. */
export type Recorder = Party & Measured;

/** Starts a bare dispatcher with its own tables. @param receivers URLs, one per webhook */
export async function startBare(stage: Stage, receivers: readonly string[]): Promise<Recorder> {
  const name = `bare_${receivers.length}`;
  const databaseUrl = await stage.emptyDatabase(`webhooks_${name}`);
  const environment = { DATABASE_URL: databaseUrl, RECEIVERS: receivers.join(' ') };
  return recorder(await startParty(stage, name, 'bare-server.js', environment), databaseUrl);
}

/** @param receivers URLs, one per webhook @param redisUrl without it, the queue is in PostgreSQL */
export async function startGateway(
  stage: Stage,
  name: string,
  receivers: readonly string[],
  redisUrl?: string,
): Promise<Recorder> {
  const databaseUrl = await stage.database(`webhooks_${name}`);
  const party = await startParty(stage, name, 'gateway-server.js', {
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
  return recorder(party, databaseUrl);
}

function recorder(party: Party, databaseUrl: string): Recorder {
  return Object.assign(party, { databaseUrl, settled: () => Promise.resolve() });
}
