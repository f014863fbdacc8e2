import { setTimeout as sleep } from 'node:timers/promises';
import { lastingPort } from '../../support/lasting-port';
import type { Bench } from '../bench.port';
import type { ChildServer } from '../child-server';
import { judge } from '../goals';
import type { Stage } from '../stage';
import { balance, drained } from './books';
import { describeMemory, livingGoal, livingMemory, tellingMemory } from './living-memory';
import { SoakPlatforms } from './platforms';
import { ProcessSamples } from './process-samples';
import { SoakRun } from './soak-run';
import { SoakTraffic } from './traffic';

const SECONDS = 1_200;
const DEAD_RECEIVERS = 24;
const RESTART_EVERY_MS = 30_000;
const FLAP_EVERY_MS = 7_000;
/** Dead webhooks are enabled again this often, so that they keep the gateway busy. */
const ENABLE_EVERY_MS = 10_000;
/** Time for caches to fill, hot code to compile, and retries of the dead receivers to add up. */
const WARM_UP_MS = 40_000;
const REPORT_EVERY_MS = 60_000;

/** Two instances on one database: `steady` keeps running and is measured, `restarted` is stopped and killed in turn. */
class Soak extends SoakRun {
  private readonly dead: string[] = [];
  private steady!: ChildServer;
  private restarted!: ChildServer;

  constructor(stage: Stage) {
    super(stage, new SoakPlatforms());
  }

  protected get origin(): string {
    return this.steady.origin;
  }

  protected async prepare(): Promise<void> {
    this.databaseUrl = await this.stage.database('soak');
    const port = String(await lastingPort());
    this.steady = await this.instance('steady', '0', tellingMemory(this.stage.directory));
    await this.liftLimits();
    for (const url of this.receivers.dead(DEAD_RECEIVERS))
      this.dead.push(await this.register(url, ['message.sent', 'message.received']));
    await this.subscribe();
    this.restarted = await this.instance('restarted', port);
    this.receiveAt(this.steady);
    await this.connected();
  }

  protected async measure(ms: number): Promise<void> {
    const { steady, platforms } = this;
    const traffic = new SoakTraffic([steady.origin, this.restarted.origin], this.key, platforms);
    await sleep(WARM_UP_MS);
    const early = await livingMemory(steady.pid, tellingMemory(this.stage.directory));
    const samples = new ProcessSamples(steady.pid, steady.origin);
    const troubles = [
      this.every(RESTART_EVERY_MS, () => this.restart()),
      this.every(FLAP_EVERY_MS, () => platforms.flap()),
      this.every(ENABLE_EVERY_MS, () => this.enableDead(true)),
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
    await this.enableDead(false);
    const quarters = `memory by quarters: ${samples.quarters()} MB`;
    const parties = this.tell(traffic, `${samples.count} s, ${DEAD_RECEIVERS} dead receivers; ${quarters}`);
    const atTheEnd = await drained(parties);
    const late = await livingMemory(steady.pid, tellingMemory(this.stage.directory));
    console.log(`  what lives: ${describeMemory(early)}\n  at the end: ${describeMemory(late)}\n`);
    judge([...samples.goals(), livingGoal(early, late), atTheEnd, ...(await balance(parties))]);
  }

  /** By SIGTERM and by kill -9 in turn. */
  private async restart(): Promise<void> {
    this.restarted = await this.startAgain('restarted', this.restarted, this.restarts % 2 === 1);
  }

  private async enableDead(enabled: boolean): Promise<void> {
    for (const id of this.dead) await this.api('PATCH', `/webhooks/${id}`, { enabled });
  }
}

export const SOAK: Bench = {
  description:
    'mixed traffic with dead receivers, flapping platforms and restarts: memory and handles flat, nothing lost',
  run: (stage) => new Soak(stage).run(stage.seconds ?? SECONDS),
};
