import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { QueryResultRow } from 'pg';
import type { TelegramTimings } from '#platforms';
import { DataSource } from 'typeorm';
import { newUuid, type Environment, type Platform, type Scope } from '#contracts';
import { digestKey, generateKey } from '../../src/api-keys/key-format';
import type { Configuration } from '../../src/core/config/configuration';
import { loadConfiguration } from '../../src/core/config/load-configuration';
import { DeploymentSecrets } from '../../src/core/secrets/deployment-secrets';
import { startGateway, type Gateway } from '../../src/bootstrap';
import { callApi, type ApiAnswer, type ApiCall } from './api';
import { afterSpec } from './cleanup';
import { testEnvironment, type FakesOfGateway } from './environment';
import { eventually } from './eventually';
import { databaseVariables, stopPoolers } from './pooler';
import { sharedPostgres } from './postgres';

export interface TestGatewayOptions extends FakesOfGateway {
  /** On top of what the test gateway sets; `undefined` unsets. */
  env?: NodeJS.ProcessEnv;
  /** Instead of a fresh database: the instances of one deployment share it. */
  databaseUrl?: string;
  /** Shorter waits than Telegram's own. */
  telegramTimings?: Partial<TelegramTimings>;
}

/** Fields in which a key made by SQL may differ. */
export interface TestKeyOptions {
  environment?: Environment;
  scopes?: readonly Scope[];
  allowedIps?: readonly string[];
  requestsPerMinute?: number | null;
  requestsPerHour?: number | null;
  expiresAt?: Date | null;
}

/** Of a gateway, its database and its fakes on a busy machine. */
const START_TIMEOUT_MS = 60_000;

/** Wide enough that no test meets it by accident. */
const WIDE = 1_000_000;

/** The whole gateway in this process, on a free port and a database of its own. */
export class TestGateway {
  gateway!: Gateway;
  databaseUrl!: string;
  /** Scope `*`, limits wide. */
  liveKey!: string;
  testKey!: string;
  private dataDir!: string;
  private stopped?: Promise<void>;

  get url(): string {
    return this.gateway.url;
  }

  get app(): NestFastifyApplication {
    return this.gateway.app;
  }

  /** @param path with its query, from `/api/v1` on: `/messages?page=2`; one that begins with `/api` or `/health` is taken as it is */
  api<Data = unknown>(
    method: string,
    path: string,
    body?: unknown,
    { key = this.liveKey, headers }: ApiCall = {},
  ): Promise<ApiAnswer<Data>> {
    return callApi<Data>(this.url, method, path, body, { key, headers });
  }

  /** A further key, known at once. */
  createKey(options: TestKeyOptions = {}): Promise<string> {
    return insertKey(this.gateway, options);
  }

  /** A further `*` key without restrictions of its own: it grants freely, and has the limits of a tier. */
  createFreeKey(environment?: Environment): Promise<string> {
    return this.createKey({ environment, requestsPerMinute: null, requestsPerHour: null });
  }

  /** Rows of a statement, on the gateway's own connections. */
  sql<Row extends QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> {
    return this.app.get(DataSource).query<Row[]>(text, values);
  }

  /** A platform as `GET /integrations` shows it to a key. */
  async integration<Shown = { status: string; error?: string }>(
    platform: Platform,
    key = this.liveKey,
  ): Promise<Shown> {
    const { body } = await this.api<(Shown & { platform: Platform })[]>('GET', '/integrations', undefined, { key });
    return body.data.find((integration) => integration.platform === platform)!;
  }

  /** Resolves when a live platform is shown as connected: until then nothing can be sent there. */
  async connected(platform: Platform): Promise<void> {
    await eventually(`${platform} is connected`, async () => {
      expect((await this.integration(platform)).status).toBe('connected');
    });
  }

  async start(options: TestGatewayOptions): Promise<this> {
    this.databaseUrl = options.databaseUrl ?? (await (await sharedPostgres()).createDatabase());
    this.dataDir = await mkdtemp(join(tmpdir(), 'gateway-test-'));
    const database = await databaseVariables(this.databaseUrl);
    const env = { ...testEnvironment(options), ...database, DATA_DIR: this.dataDir, ...options.env };
    const configuration = loadConfiguration(env);
    this.gateway = await startGateway({
      ...configuration,
      telegram: { ...configuration.telegram, timings: options.telegramTimings } as Configuration['telegram'],
    });
    this.liveKey = await insertKey(this.gateway, {});
    this.testKey = await insertKey(this.gateway, { environment: 'test' });
    running.add(this);
    return this;
  }

  async stop(): Promise<void> {
    this.stopped ??= this.shutDown();
    await this.stopped;
  }

  private async shutDown(): Promise<void> {
    running.delete(this);
    await this.gateway.close();
    await rm(this.dataDir, { recursive: true, force: true });
  }
}

const running = new Set<TestGateway>();

/**
 * Starts the gateway against a throw-away PostgreSQL. Whatever a spec leaves running is stopped after its last test.
 * It has no configuration but the given one: no platform, no AI.
 */
export function startTestGateway(options: TestGatewayOptions = {}): Promise<TestGateway> {
  return new TestGateway().start(options);
}

/** A gateway for the tests of a `describe`: before the first one, its fakes and itself start, and its platform connects. */
export function useGateway(options: TestGatewayOptions = {}): TestGateway {
  const gateway = new TestGateway();
  beforeAll(async () => {
    await Promise.all([options.telegram?.start(), options.anthropic?.start()]);
    await gateway.start(options);
    if (options.telegram) await gateway.connected('telegram');
  }, START_TIMEOUT_MS);
  return gateway;
}

async function insertKey(gateway: Gateway, options: TestKeyOptions): Promise<string> {
  const { environment = 'live', scopes = ['*'], allowedIps = [], expiresAt = null } = options;
  const { requestsPerMinute = WIDE, requestsPerHour = WIDE } = options;
  const key = generateKey(environment);
  const { pepper } = gateway.app.get(DeploymentSecrets);
  await gateway.app.get(DataSource).query(
    `INSERT INTO api_keys (id, environment, name, digest, last_four, scopes, tier, allowed_ips, requests_per_minute,
       requests_per_hour, expires_at, created_at)
     VALUES ($1, $2, 'Test key', $3, $4, $5, 'elite', $6, $7, $8, $9, now())`,
    [
      newUuid(),
      environment,
      digestKey(pepper, key),
      key.slice(-4),
      scopes,
      allowedIps,
      requestsPerMinute,
      requestsPerHour,
      expiresAt,
    ],
  );
  return key;
}

/** Stops what runs: for a spec whose tests each start gateways, after each of them. */
export async function stopTestGateways(): Promise<void> {
  await Promise.all([...running].map((gateway) => gateway.stop()));
}

afterSpec('gateways', async () => {
  await stopTestGateways();
  await stopPoolers();
});
