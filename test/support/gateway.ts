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
  /** Added to the variables of the test gateway; `undefined` removes one. */
  env?: NodeJS.ProcessEnv;
  /** A database to use instead of a fresh one, so that the instances of one deployment share it. */
  databaseUrl?: string;
  /** Waits shorter than the ones that Telegram asks for. */
  telegramTimings?: Partial<TelegramTimings>;
}

/** Fields of a key that a test inserts by SQL. */
export interface TestKeyOptions {
  environment?: Environment;
  scopes?: readonly Scope[];
  allowedIps?: readonly string[];
  requestsPerMinute?: number | null;
  requestsPerHour?: number | null;
  expiresAt?: Date | null;
}

/** Start of a gateway, its database and its fakes on a busy machine, in milliseconds. */
const START_TIMEOUT_MS = 60_000;

/** A rate limit that no test reaches by accident. */
const WIDE = 1_000_000;

/** The whole gateway in this process, on a free port and its own database. */
export class TestGateway {
  gateway!: Gateway;
  databaseUrl!: string;
  /** Scope `*`, with a rate limit that no test reaches. */
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

  /** @param path with its query, as in `callApi`: `/messages?page=2` */
  api<Data = unknown>(
    method: string,
    path: string,
    body?: unknown,
    { key = this.liveKey, headers }: ApiCall = {},
  ): Promise<ApiAnswer<Data>> {
    return callApi<Data>(this.url, method, path, body, { key, headers });
  }

  /** Another key; the gateway accepts it at once. */
  createKey(options: TestKeyOptions = {}): Promise<string> {
    return insertKey(this.gateway, options);
  }

  /** Another `*` key with the limits of its tier and none of its own, so it may create any key. */
  createFreeKey(environment?: Environment): Promise<string> {
    return this.createKey({ environment, requestsPerMinute: null, requestsPerHour: null });
  }

  /** Runs a statement on the gateway's own connections. */
  sql<Row extends QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> {
    return this.app.get(DataSource).query<Row[]>(text, values);
  }

  /** A platform's item in `GET /integrations`, as this key sees it. */
  async integration<Shown = { status: string; error?: string }>(
    platform: Platform,
    key = this.liveKey,
  ): Promise<Shown> {
    const { body } = await this.api<(Shown & { platform: Platform })[]>('GET', '/integrations', undefined, { key });
    return body.data.find((integration) => integration.platform === platform)!;
  }

  /** Resolves when `GET /integrations` shows a live platform as connected. Before that, sends fail. */
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
 * Starts a gateway on a throw-away PostgreSQL. It has no platform and no AI but the given ones. It stops after the last
 * test of the spec file.
 */
export function startTestGateway(options: TestGatewayOptions = {}): Promise<TestGateway> {
  return new TestGateway().start(options);
}

/** A gateway for the tests of a `describe`. Before the first test, its fakes and the gateway start and Telegram connects. */
export function useGateway(options: TestGatewayOptions = {}): TestGateway {
  const gateway = new TestGateway();
  beforeAll(async () => {
    await Promise.all([options.telegram?.start(), options.anthropic?.start(), options.openai?.start()]);
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

/** Stops all running gateways. For `afterEach`, where each test starts its own. */
export async function stopTestGateways(): Promise<void> {
  await Promise.all([...running].map((gateway) => gateway.stop()));
}

afterSpec('gateways', async () => {
  await stopTestGateways();
  await stopPoolers();
});
