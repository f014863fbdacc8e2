import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { generateKey } from '../../../src/api-keys/key-format';
import { finishSchema } from '../../../src/core/database/data-source';
import { lastingPort } from '../../support/lasting-port';
import { callGateway } from '../api-request';
import type { Bench } from '../bench.port';
import { liftLimits, untilTrue } from '../bench-database';
import type { ChildServer } from '../child-server';
import { judge, type Goal } from '../goals';
import { BATCHED_DAYS, fillOldPartitions, OLD_ROWS_GONE } from '../growth/old-partitions';
import { residentMemory } from '../processes';
import { withClient, type Stage } from '../stage';
import { balance, drained } from './books';
import { diskGoals, diskOf, type Disk } from './night-disk';
import { SoakPlatforms, TOOL } from './platforms';
import { SoakReceivers } from './receivers';
import { PEOPLE, SoakTraffic } from './traffic';

const SECONDS = 10_800;
/** With the three of the environment: the most that an environment may have. */
const BOTS = 47;
const TRAFFIC = { rates: { sends: 3, questions: 2, lists: 1 }, files: { every: 5, bytes: 20_000 } };
/** Rows of the audit log, and events, that retention deletes meanwhile. */
const OLD_ROWS = 300_000;
/** Each instance restarts once in two of these; in a short run more often. */
const RESTART_EVERY_MS = 300_000;
const DOWN_MS = 3_000;
const FLAP_EVERY_MS = 60_000;
const SAMPLE_EVERY_MS = 1_000;
const MOST_MEMORY = 1.05;

/** A long time on two instances with all kinds of work, each of which restarts every ten minutes, by SIGTERM and kill -9 in turn. */
class Night {
  private readonly key = generateKey('live');
  private readonly kills: number[] = [];
  private readonly platforms = new SoakPlatforms(BOTS);
  private readonly receivers = new SoakReceivers();
  private readonly living: string[] = [];
  /** Id of a tool call → how often the tool's server got it. */
  private readonly toolCalls = new Map<string, number>();
  /** Memory of both instances together, in MB, while both run. */
  private readonly memory: number[] = [];
  private readonly instances: ChildServer[] = [];
  private toolServer!: Server;
  private databaseUrl = '';
  private subscribedAt = new Date(0);
  private restarts = 0;
  private ended = false;

  constructor(private readonly stage: Stage) {}

  async run(seconds: number): Promise<void> {
    await Promise.all([this.platforms.start(), this.receivers.start()]);
    this.toolServer = await this.serveTool();
    try {
      const showOldRows = await this.prepare();
      await this.measure(seconds * 1_000, showOldRows);
    } finally {
      this.ended = true;
      this.receivers.stop();
      this.toolServer.close().closeAllConnections();
      await this.platforms.stop();
    }
  }

  /** @returns SQL that shows the gateway the rows for retention */
  private async prepare(): Promise<string> {
    this.databaseUrl = await this.stage.database('night');
    await finishSchema(this.databaseUrl, { info: () => undefined, warn: console.warn });
    const showOldRows = await fillOldPartitions(this.databaseUrl, OLD_ROWS);
    for (const name of ['first', 'second']) this.instances.push(await this.instance(name, String(await lastingPort())));
    await liftLimits(this.databaseUrl);
    await this.api('PATCH', '/admin/settings', {
      ai: { budget: { daily_usd: null }, daily_usd_per_person: null },
      rate_limits: { messages_per_minute: 100_000, replies_per_minute: 100_000 },
    });
    for (const { token } of this.platforms.bots)
      await this.api('POST', '/integrations', {
        platform: 'telegram',
        name: nameOf(token),
        credentials: { bot_token: token },
      });
    await this.api('POST', '/tools', {
      name: TOOL,
      description: 'Looks up what is new.',
      parameters: { type: 'object', properties: { about: { type: 'string' } }, additionalProperties: false },
      url: `http://127.0.0.1:${(this.toolServer.address() as AddressInfo).port}/`,
    });
    for (const url of this.receivers.living())
      this.living.push((await this.api<{ id: string }>('POST', '/webhooks', { url, events: ['*'] })).id);
    [{ now: this.subscribedAt }] = await withClient(
      this.databaseUrl,
      async (client) => (await client.query<{ now: Date }>('SELECT now()')).rows as [{ now: Date }],
    );
    this.platforms.whatsapp.subscribe(`${this.instances[0]!.origin}/callbacks/whatsapp`);
    await this.connected();
    await this.everyoneWrites();
    return showOldRows;
  }

  /** Discord does not tell a new connection of people who wrote for the first time while there was none. */
  private async everyoneWrites(): Promise<void> {
    for (let person = 0; person < PEOPLE; person++) this.platforms.receive('discord', person, 'Hello');
    await untilTrue(
      this.databaseUrl,
      `SELECT count(*) = $1 AS done FROM messages WHERE direction = 'inbound' AND platform = 'discord'`,
      [PEOPLE],
    );
  }

  private async measure(ms: number, showOldRows: string): Promise<void> {
    const { platforms, receivers, databaseUrl, subscribedAt, kills, living } = this;
    const accounts = platforms.bots.map(({ token }) => nameOf(token));
    const origins = this.instances.map(({ origin }) => origin);
    const traffic = new SoakTraffic(origins, this.key, platforms, { ...TRAFFIC, accounts });
    const work = [
      this.every(Math.min(RESTART_EVERY_MS, ms / 8), () => this.restart()),
      this.every(FLAP_EVERY_MS, () => platforms.flap()),
      this.every(SAMPLE_EVERY_MS, () => this.sample()),
      this.every(FLAP_EVERY_MS, () => {
        console.log(`  … ${this.memory.length} s, ${inWords(this.thirds())}`);
        for (const fault of traffic.faults.splice(0)) console.log(`  ${fault}`);
      }),
    ];
    let early!: Disk;
    try {
      await Promise.race([this.passThird(ms / 3, showOldRows), ...work]);
      early = await diskOf(databaseUrl, this.mediaDirectory);
      await Promise.race([sleep((ms * 2) / 3), ...work]);
    } finally {
      this.ended = true;
      await traffic.stop();
    }
    await Promise.all(work);
    const answers = [...traffic.answers].map(([status, count]) => `${status} × ${count}`).join(', ');
    console.log(
      `\n  ${this.restarts} restarts (${kills.length} of them kill -9), ${platforms.flaps} flaps\n  answers: ${answers}`,
    );
    for (const fault of traffic.faults) console.log(`  ${fault}`);
    const parties = { databaseUrl, traffic, platforms, receivers, living, subscribedAt, kills };
    const atTheEnd = await drained(parties);
    const late = await diskOf(databaseUrl, this.mediaDirectory);
    judge([
      this.memoryGoal(),
      await this.retentionGoal(),
      this.toolGoal(),
      ...diskGoals(early, late),
      atTheEnd,
      ...(await balance(parties)),
    ]);
  }

  private async passThird(ms: number, showOldRows: string): Promise<void> {
    await sleep(ms / 4);
    await withClient(this.databaseUrl, (client) => client.query(showOldRows));
    // A change of the setting starts a run of retention.
    await this.api('PATCH', '/admin/settings', { retention: { audit_days: BATCHED_DAYS - 1 } });
    await sleep((ms * 3) / 4);
  }

  /** Stops the instances in turn, and each alternately by SIGTERM and by kill -9. WhatsApp then calls the one that runs. */
  private async restart(): Promise<void> {
    const index = this.restarts % 2;
    const isKilled = Math.floor(this.restarts / 2) % 2 === 1;
    this.restarts += 1;
    const instance = this.instances[index]!;
    this.platforms.whatsapp.subscribe(`${this.instances[1 - index]!.origin}/callbacks/whatsapp`);
    if (isKilled) {
      this.kills.push(Date.now());
      await instance.kill();
    } else await instance.stop();
    await sleep(DOWN_MS);
    this.instances[index] = await this.instance(index === 0 ? 'first' : 'second', new URL(instance.origin).port);
  }

  private sample(): void {
    try {
      this.memory.push(this.instances.reduce((sum, { pid }) => sum + residentMemory(pid), 0));
    } catch {
      // One of them is restarting.
    }
  }

  /** The mean memory of each third of the run. */
  private thirds(): number[] {
    const length = this.memory.length / 3;
    return [0, 1, 2].map((third) => {
      const values = this.memory.slice(Math.round(third * length), Math.round((third + 1) * length));
      return values.reduce((sum, value) => sum + value, 0) / values.length;
    });
  }

  private memoryGoal(): Goal {
    const [, second, last] = this.thirds() as [number, number, number];
    return {
      name: `memory of both instances in the last third at most ${MOST_MEMORY} × that of the second`,
      met: last <= second * MOST_MEMORY,
      figure: `${inWords(this.thirds())} (${(last / second).toFixed(3)} ×)`,
    };
  }

  private async retentionGoal(): Promise<Goal> {
    const [row] = await withClient(
      this.databaseUrl,
      async (client) => (await client.query<{ gone: boolean }>(OLD_ROWS_GONE)).rows,
    );
    return {
      name: 'retention has deleted the old rows',
      met: row!.gone,
      figure: `${(OLD_ROWS * 2.2).toLocaleString('en')} rows`,
    };
  }

  /** A call whose outcome was lost with its process is repeated with the same id. */
  private toolGoal(): Goal {
    const again = [...this.toolCalls.values()].filter((count) => count > 1).length;
    return {
      name: 'no tool is called twice but by a killed instance',
      met: this.toolCalls.size > 0 && again <= this.kills.length,
      figure: `${this.toolCalls.size} calls, ${again} of them repeated`,
    };
  }

  private async serveTool(): Promise<Server> {
    const server = createServer((request, response) => {
      const id = String(request.headers['webhook-id']);
      this.toolCalls.set(id, (this.toolCalls.get(id) ?? 0) + 1);
      request.resume().on('end', () => response.setHeader('content-type', 'application/json').end('{"news":"none"}'));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return server;
  }

  private async every(ms: number, work: () => Promise<unknown> | void): Promise<void> {
    for (;;) {
      for (const until = performance.now() + ms; performance.now() < until; await sleep(100)) if (this.ended) return;
      await work();
    }
  }

  private get mediaDirectory(): string {
    return join(this.stage.directory, 'media');
  }

  private instance(name: string, port: string): Promise<ChildServer> {
    return this.stage.server(name, join(__dirname, '../../../bundle/main.js'), {
      PORT: port,
      LOG_LEVEL: 'error',
      DATA_DIR: join(this.stage.directory, name),
      MEDIA_DIR: this.mediaDirectory,
      DATABASE_URL: this.databaseUrl,
      BOOTSTRAP_API_KEY: this.key,
      API_KEY_PEPPER: 'the pepper of the night',
      SECRETS_KEY: 'the secrets key of the night',
      DASHBOARD: 'false',
      WEBHOOK_ALLOW_HTTP: 'true',
      WEBHOOK_ALLOWED_CIDRS: '127.0.0.0/8',
      WEBHOOK_RETRY_SCHEDULE: '1,2,4,6,8',
      ...this.platforms.environment,
    });
  }

  private async connected(): Promise<void> {
    for (;;) {
      const integrations = await this.api<{ status: string }[]>('GET', '/integrations');
      if (integrations.every(({ status }) => status === 'connected')) return;
      await sleep(200);
    }
  }

  private api<Data>(method: string, path: string, body?: unknown): Promise<Data> {
    return callGateway<Data>(this.instances[0]!.origin, this.key, method, path, body);
  }
}

const nameOf = (token: string): string => `Bot ${token.split(':')[0]}`;

const inWords = (thirds: readonly number[]): string =>
  `memory by thirds: ${thirds.map((mb) => mb.toFixed(1)).join(', ')} MB`;

export const NIGHT: Bench = {
  description: `${BOTS + 3} accounts, tools, files and retention on two instances that restart every ten minutes: memory, disk, nothing lost`,
  run: (stage) => new Night(stage).run(stage.seconds ?? SECONDS),
};
