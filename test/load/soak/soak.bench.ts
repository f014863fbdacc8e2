import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { generateKey } from '../../../src/api-keys/key-format';
import { lastingPort } from '../../support/lasting-port';
import type { Bench } from '../bench.port';
import { liftLimits } from '../bench-database';
import type { ChildServer } from '../child-server';
import { withClient, type Stage } from '../stage';
import { balance, drained, type Parties } from './books';
import { callGateway } from '../api-request';
import { judge } from '../goals';
import { describeMemory, livingGoal, livingMemory, tellingMemory } from './living-memory';
import { SoakPlatforms } from './platforms';
import { ProcessSamples } from './process-samples';
import { SoakReceivers } from './receivers';
import { SoakTraffic } from './traffic';

const SECONDS = 1_200;
const DEAD_RECEIVERS = 24;
const RESTART_EVERY_MS = 30_000;
/** Downtime of a killed or stopped instance, in milliseconds. */
const DOWN_MS = 3_000;
const FLAP_EVERY_MS = 7_000;
/** Dead webhooks are enabled again this often, so that they keep the gateway busy. */
const ENABLE_EVERY_MS = 10_000;
/** Time for caches to fill, hot code to compile, and retries of the dead receivers to add up. */
const WARM_UP_MS = 40_000;
const REPORT_EVERY_MS = 60_000;

/** Two instances on one database: `steady` keeps running and is measured, `restarted` is stopped and killed in turn. */
class Soak {
  private readonly key = generateKey('live');
  private readonly kills: number[] = [];
  private readonly platforms = new SoakPlatforms();
  private readonly receivers = new SoakReceivers();
  private readonly webhooks = { living: [] as string[], dead: [] as string[] };
  private databaseUrl = '';
  /** Every event from this time on must reach the working receivers. */
  private subscribedAt = new Date(0);
  private steady!: ChildServer;
  private restarted!: ChildServer;
  private restarts = 0;
  private ended = false;

  constructor(private readonly stage: Stage) {}

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

  private async prepare(): Promise<void> {
    this.databaseUrl = await this.stage.database('soak');
    const port = String(await lastingPort());
    this.steady = await this.instance('steady', '0');
    await liftLimits(this.databaseUrl);
    await this.api('PATCH', '/admin/settings', {
      ai: { budget: { daily_usd: null } },
      rate_limits: { messages_per_minute: 100_000, replies_per_minute: 100_000 },
    });
    for (const url of this.receivers.living()) this.webhooks.living.push(await this.register(url, ['*']));
    for (const url of this.receivers.dead(DEAD_RECEIVERS))
      this.webhooks.dead.push(await this.register(url, ['message.sent', 'message.received']));
    [{ now: this.subscribedAt }] = await withClient(
      this.databaseUrl,
      async (client) => (await client.query<{ now: Date }>('SELECT now()')).rows as [{ now: Date }],
    );
    this.restarted = await this.instance('restarted', port);
    this.platforms.whatsapp.subscribe(`${this.steady.origin}/callbacks/whatsapp`);
    await this.connected();
  }

  private async measure(ms: number): Promise<void> {
    const { platforms, receivers, databaseUrl, subscribedAt, kills } = this;
    const origins = [this.steady.origin, this.restarted.origin];
    const traffic = new SoakTraffic(origins, this.key, platforms);
    await sleep(WARM_UP_MS);
    const { steady } = this;
    const early = await livingMemory(steady.pid, tellingMemory(this.stage.directory));
    const samples = new ProcessSamples(this.steady.pid, this.steady.origin);
    const troubles = [
      this.every(RESTART_EVERY_MS, () => this.restart()),
      this.every(FLAP_EVERY_MS, () => platforms.flap()),
      this.every(ENABLE_EVERY_MS, () => this.enableDead()),
      this.every(1_000, () => platforms.count()),
      this.every(REPORT_EVERY_MS, () =>
        console.log(`  … ${samples.count} s, memory by quarters: ${samples.quarters()} MB`),
      ),
    ];
    try {
      await Promise.race([sleep(ms), ...troubles]);
    } finally {
      samples.stop();
      this.ended = true;
      await traffic.stop();
    }
    await Promise.all(troubles);
    for (const id of this.webhooks.dead) await this.api('PATCH', `/webhooks/${id}`, { enabled: false });
    const living = this.webhooks.living;
    const parties: Parties = { databaseUrl, traffic, platforms, receivers, living, subscribedAt, kills };
    const answers = [...traffic.answers].map(([status, count]) => `${status} × ${count}`).join(', ');
    console.log(
      `\n  ${samples.count} s, ${this.restarts} restarts (${kills.length} of them kill -9), ${platforms.flaps} flaps, ` +
        `${DEAD_RECEIVERS} dead receivers\n  answers: ${answers}\n  memory by quarters: ${samples.quarters()} MB\n`,
    );
    for (const fault of traffic.faults) console.log(`  ${fault}`);
    const atTheEnd = await drained(parties);
    const late = await livingMemory(steady.pid, tellingMemory(this.stage.directory));
    console.log(`  what lives: ${describeMemory(early)}\n  at the end: ${describeMemory(late)}\n`);
    judge([...samples.goals(), livingGoal(early, late), atTheEnd, ...(await balance(parties))]);
  }

  /** Stops `restarted`, alternately by SIGTERM and by kill -9, and starts it again. */
  private async restart(): Promise<void> {
    const isKilled = this.restarts++ % 2 === 1;
    if (isKilled) {
      this.kills.push(Date.now());
      await this.restarted.kill();
    } else await this.restarted.stop();
    await sleep(DOWN_MS);
    this.restarted = await this.instance('restarted', new URL(this.restarted.origin).port);
  }

  private async enableDead(): Promise<void> {
    for (const id of this.webhooks.dead) await this.api('PATCH', `/webhooks/${id}`, { enabled: true });
  }

  private async every(ms: number, work: () => Promise<unknown> | void): Promise<void> {
    for (;;) {
      for (const until = performance.now() + ms; performance.now() < until; await sleep(100)) if (this.ended) return;
      await work();
    }
  }

  private instance(name: string, port: string): Promise<ChildServer> {
    return this.stage.server(name, join(__dirname, '../../../bundle/main.js'), {
      PORT: port,
      LOG_LEVEL: 'error',
      DATA_DIR: join(this.stage.directory, name),
      DATABASE_URL: this.databaseUrl,
      BOOTSTRAP_API_KEY: this.key,
      API_KEY_PEPPER: 'the pepper of the soak',
      DASHBOARD: 'false',
      WEBHOOK_ALLOW_HTTP: 'true',
      WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8',
      WEBHOOK_RETRY_SCHEDULE: '1,2,4,6,8',
      WEBHOOK_TIMEOUT_SECONDS: '2',
      ...this.platforms.environment,
      ...(name === 'steady' && tellingMemory(this.stage.directory)),
    });
  }

  private async register(url: string, events: string[]): Promise<string> {
    return (await this.api<{ id: string }>('POST', '/webhooks', { url, events })).id;
  }

  private async connected(): Promise<void> {
    for (;;) {
      const integrations = await this.api<{ status: string }[]>('GET', '/integrations');
      if (integrations.every(({ status }) => status === 'connected')) return;
      await sleep(200);
    }
  }

  private api<Data>(method: string, path: string, body?: unknown): Promise<Data> {
    return callGateway<Data>(this.steady.origin, this.key, method, path, body);
  }
}

export const SOAK: Bench = {
  description:
    'mixed traffic with dead receivers, flapping platforms and restarts: memory and handles flat, nothing lost',
  run: (stage) => new Soak(stage).run(stage.seconds ?? SECONDS),
};
