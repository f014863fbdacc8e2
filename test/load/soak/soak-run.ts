import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { generateKey } from '../../../src/api-keys/key-format';
import { callGateway } from '../api-request';
import { liftLimits } from '../bench-database';
import type { ChildServer } from '../child-server';
import { withClient, type Stage } from '../stage';
import type { Parties } from './books';
import type { SoakPlatforms } from './platforms';
import { SoakReceivers } from './receivers';
import type { SoakTraffic } from './traffic';

/** Downtime of a killed or stopped instance, in milliseconds. */
const DOWN_MS = 3_000;

/** What soaks have in common: instances on one database, fake platforms, receivers, and troubles at intervals. */
export abstract class SoakRun {
  protected readonly key = generateKey('live');
  protected readonly receivers = new SoakReceivers();
  protected databaseUrl = '';
  /** Set when the traffic is over: {@link every} ends. */
  protected ended = false;
  protected restarts = 0;
  /** Ids of the webhooks with working receivers. */
  private readonly living: string[] = [];
  protected readonly kills: number[] = [];
  /** Every event from this time on must reach the working receivers. */
  private subscribedAt = new Date(0);

  constructor(
    protected readonly stage: Stage,
    protected readonly platforms: SoakPlatforms,
  ) {}

  async run(seconds: number): Promise<void> {
    await Promise.all([this.platforms.start(), this.receivers.start()]);
    try {
      await this.prepare();
      await this.measure(seconds * 1_000);
    } finally {
      this.ended = true;
      this.receivers.stop();
      await this.platforms.stop();
    }
  }

  protected abstract prepare(): Promise<void>;
  protected abstract measure(ms: number): Promise<void>;
  /** Address of the instance that takes the bench's own requests. */
  protected abstract get origin(): string;

  protected get mediaDirectory(): string {
    return join(this.stage.directory, 'media');
  }

  protected async liftLimits(): Promise<void> {
    await liftLimits(this.databaseUrl);
    await this.api('PATCH', '/admin/settings', {
      ai: { budget: { daily_usd: null }, daily_usd_per_person: null },
      rate_limits: { messages_per_minute: 100_000, replies_per_minute: 100_000 },
    });
  }

  protected async subscribe(): Promise<void> {
    for (const url of this.receivers.living()) this.living.push(await this.register(url, ['*']));
    [{ now: this.subscribedAt }] = await withClient(
      this.databaseUrl,
      async (client) => (await client.query<{ now: Date }>('SELECT now()')).rows as [{ now: Date }],
    );
  }

  protected instance(name: string, port: string, environment: Record<string, string> = {}): Promise<ChildServer> {
    return this.stage.server(name, join(__dirname, '../../../bundle/main.js'), {
      PORT: port,
      LOG_LEVEL: 'error',
      DATA_DIR: join(this.stage.directory, name),
      MEDIA_DIR: this.mediaDirectory,
      DATABASE_URL: this.databaseUrl,
      BOOTSTRAP_API_KEY: this.key,
      API_KEY_PEPPER: 'the pepper of the soak',
      SECRETS_KEY: 'the secrets key of the soak',
      DASHBOARD: 'false',
      WEBHOOK_ALLOW_HTTP: 'true',
      WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8',
      WEBHOOK_RETRY_SCHEDULE: '1,2,4,6,8',
      WEBHOOK_TIMEOUT_SECONDS: '2',
      ...this.platforms.environment,
      ...environment,
    });
  }

  /** Stops the instance or kills it, and starts it again at its port after a while. */
  protected async startAgain(name: string, instance: ChildServer, isKilled: boolean): Promise<ChildServer> {
    this.restarts += 1;
    if (isKilled) {
      this.kills.push(Date.now());
      await instance.kill();
    } else await instance.stop();
    await sleep(DOWN_MS);
    return this.instance(name, new URL(instance.origin).port);
  }

  /** Repeats the work until the traffic is over. */
  protected async every(ms: number, work: () => Promise<unknown> | void): Promise<void> {
    for (;;) {
      for (const until = performance.now() + ms; performance.now() < until; await sleep(100)) if (this.ended) return;
      await work();
    }
  }

  /** WhatsApp calls this instance from now on. */
  protected receiveAt({ origin }: ChildServer): void {
    this.platforms.whatsapp.subscribe(`${origin}/callbacks/whatsapp`);
  }

  /** Resolves when every account is connected. */
  protected async connected(): Promise<void> {
    for (;;) {
      const integrations = await this.api<{ status: string }[]>('GET', '/integrations');
      if (integrations.every(({ status }) => status === 'connected')) return;
      await sleep(200);
    }
  }

  /** Prints what happened. @returns the books to balance */
  protected tell(traffic: SoakTraffic, figures: string): Parties {
    const { databaseUrl, platforms, receivers, living, subscribedAt, kills } = this;
    const answers = [...traffic.answers].map(([status, count]) => `${status} × ${count}`).join(', ');
    console.log(
      `\n  ${this.restarts} restarts (${kills.length} of them kill -9), ${platforms.flaps} flaps\n` +
        `  answers: ${answers}\n  ${figures}\n`,
    );
    for (const fault of traffic.faults) console.log(`  ${fault}`);
    return { databaseUrl, traffic, platforms, receivers, living, subscribedAt, kills };
  }

  protected async register(url: string, events: string[]): Promise<string> {
    return (await this.api<{ id: string }>('POST', '/webhooks', { url, events })).id;
  }

  protected api<Data>(method: string, path: string, body?: unknown): Promise<Data> {
    return callGateway<Data>(this.origin, this.key, method, path, body);
  }
}
