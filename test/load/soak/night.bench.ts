import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { finishSchema } from '../../../src/core/database/data-source';
import { lastingPort } from '../../support/lasting-port';
import type { Bench } from '../bench.port';
import { untilTrue } from '../bench-database';
import type { ChildServer } from '../child-server';
import { judge, type Goal } from '../goals';
import { BATCHED_DAYS, fillOldPartitions, OLD_ROWS_GONE } from '../growth/old-partitions';
import { residentMemory } from '../processes';
import { withClient, type Stage } from '../stage';
import { balance, drained } from './books';
import { diskGoals, diskOf, type Disk } from './night-disk';
import { SoakPlatforms, TOOL } from './platforms';
import { SoakRun } from './soak-run';
import { PEOPLE, SoakTraffic } from './traffic';

const SECONDS = 10_800;
/** With the three of the environment: the most that an environment may have. */
const BOTS = 47;
const NAMES = ['first', 'second'];
const TRAFFIC = { rates: { sends: 3, questions: 2, lists: 1 }, files: { every: 5, bytes: 20_000 } };
/** Rows of the audit log, and events, that retention deletes meanwhile. */
const OLD_ROWS = 300_000;
/** Each instance restarts once in two of these; in a short run more often. */
const RESTART_EVERY_MS = 300_000;
const FLAP_EVERY_MS = 60_000;
const SAMPLE_EVERY_MS = 1_000;
const MOST_MEMORY = 1.05;

/** A long time on two instances with all kinds of work, each of which restarts every ten minutes, by SIGTERM and kill -9 in turn. */
class Night extends SoakRun {
  /** Id of a tool call → how often the tool's server got it. */
  private readonly toolCalls = new Map<string, number>();
  /** Memory of both instances together, in MB, while both run. */
  private readonly memory: number[] = [];
  private readonly instances: ChildServer[] = [];
  private readonly toolServer = createServer((request, response) => {
    const id = String(request.headers['webhook-id']);
    this.toolCalls.set(id, (this.toolCalls.get(id) ?? 0) + 1);
    request.resume().on('end', () => response.setHeader('content-type', 'application/json').end('{"news":"none"}'));
  });
  /** SQL that shows the gateway the rows for retention. */
  private showOldRows = '';

  constructor(stage: Stage) {
    super(stage, new SoakPlatforms(BOTS));
  }

  override async run(seconds: number): Promise<void> {
    await new Promise<void>((resolve) => this.toolServer.listen(0, '127.0.0.1', resolve));
    try {
      await super.run(seconds);
    } finally {
      this.toolServer.close().closeAllConnections();
    }
  }

  protected get origin(): string {
    return this.instances[0]!.origin;
  }

  protected async prepare(): Promise<void> {
    this.databaseUrl = await this.stage.database('night');
    await finishSchema(this.databaseUrl, { info: () => undefined, warn: console.warn });
    this.showOldRows = await fillOldPartitions(this.databaseUrl, OLD_ROWS);
    for (const name of NAMES) this.instances.push(await this.instance(name, String(await lastingPort())));
    await this.liftLimits();
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
    await this.subscribe();
    this.receiveAt(this.instances[0]!);
    await this.connected();
    await this.everyoneWrites();
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

  protected async measure(ms: number): Promise<void> {
    const { platforms, databaseUrl } = this;
    const accounts = platforms.bots.map(({ token }) => nameOf(token));
    const origins = this.instances.map(({ origin }) => origin);
    const traffic = new SoakTraffic(origins, this.key, platforms, { ...TRAFFIC, accounts });
    const work = [
      this.every(Math.min(RESTART_EVERY_MS, ms / 8), () => this.restart()),
      this.every(FLAP_EVERY_MS, () => platforms.flap()),
      this.every(1_000, () => platforms.count()),
      this.every(SAMPLE_EVERY_MS, () => this.sample()),
      this.every(FLAP_EVERY_MS, () => {
        console.log(`  … ${this.memory.length} s, ${inWords(this.thirds())}`);
        for (const fault of traffic.faults.splice(0)) console.log(`  ${fault}`);
      }),
    ];
    let early!: Disk;
    try {
      await Promise.race([this.passThird(ms / 3), ...work]);
      early = await diskOf(databaseUrl, this.mediaDirectory);
      await Promise.race([sleep((ms * 2) / 3), ...work]);
    } finally {
      this.ended = true;
      await traffic.stop();
    }
    await Promise.all(work);
    const parties = this.tell(traffic, inWords(this.thirds()));
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

  private async passThird(ms: number): Promise<void> {
    await sleep(ms / 4);
    await withClient(this.databaseUrl, (client) => client.query(this.showOldRows));
    // A change of the setting starts a run of retention.
    await this.api('PATCH', '/admin/settings', { retention: { audit_days: BATCHED_DAYS - 1 } });
    await sleep((ms * 3) / 4);
  }

  /** Stops the instances in turn, and each alternately by SIGTERM and by kill -9. WhatsApp then calls the one that runs. */
  private async restart(): Promise<void> {
    const index = this.restarts % 2;
    const isKilled = Math.floor(this.restarts / 2) % 2 === 1;
    this.receiveAt(this.instances[1 - index]!);
    this.instances[index] = await this.startAgain(NAMES[index]!, this.instances[index]!, isKilled);
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
}

const nameOf = (token: string): string => `Bot ${token.split(':')[0]}`;

const inWords = (thirds: readonly number[]): string =>
  `memory by thirds: ${thirds.map((mb) => mb.toFixed(1)).join(', ')} MB`;

export const NIGHT: Bench = {
  description: `${BOTS + 3} accounts, tools, files and retention on two instances that restart every ten minutes: memory, disk, nothing lost`,
  run: (stage) => new Night(stage).run(stage.seconds ?? SECONDS),
};
