import { cp, rm, symlink } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import type { Bench } from '../bench.port';
import { ChildServer } from '../child-server';
import { printVerdict } from '../goals';
import { residentMemory } from '../processes';
import type { Stage } from '../stage';
import { median } from '../statistics';

const ROUNDS = { first: 3, warm: 5, idle: 3 };
/** After this time, in milliseconds, the gateway is idle. */
const IDLE_AFTER_MS = 10_000;
const GOALS = { firstSeconds: 8, warmSeconds: 1, idleMb: 240 };

/** Folders that a fresh clone does not have; `node_modules` is linked instead. */
const NOT_COPIED = new Set(['node_modules', 'dist', '.git']);

/**
 * Time until a gateway with no configuration (embedded PostgreSQL, no Redis) is ready: at the first `npm start` in a copy of the
 * sources without `dist`, and at later starts. Also its idle memory.
 */
export const START: Bench = {
  description: 'nothing configured: the first npm start until ready, warm starts, and idle memory',
  async run(stage) {
    const copy = join(stage.directory, 'clone');
    const first: number[] = [];
    const warm: number[] = [];
    for (let round = 1; round <= ROUNDS.first; round++) {
      await rm(copy, { recursive: true, force: true });
      await copySources(copy);
      first.push(await startedIn(stage, copy, `data-${round}`));
    }
    for (let round = 1; round <= ROUNDS.warm; round++) warm.push(await startedIn(stage, copy, `data-${ROUNDS.first}`));
    const idle: number[] = [];
    for (let round = 1; round <= ROUNDS.idle; round++) idle.push(await idleMemory(stage, `data-${ROUNDS.first}`));

    const rounds = (values: readonly number[], digits: number) => values.map((one) => one.toFixed(digits)).join(', ');
    console.log(`\nfirst npm start: ${rounds(first, 2)} s; warm: ${rounds(warm, 2)} s; idle: ${rounds(idle, 1)} MB`);
    printVerdict('first npm start until ready, median', median(first), { limit: GOALS.firstSeconds, unit: 's' });
    printVerdict('warm npm start until ready, median', median(warm), { limit: GOALS.warmSeconds, unit: 's' });
    printVerdict('idle memory, median', median(idle), { limit: GOALS.idleMb, unit: 'MB' });
  },
};

/** Makes a copy like a clone after `npm ci`. */
async function copySources(target: string): Promise<void> {
  const root = process.cwd();
  const isSource = (path: string) => !NOT_COPIED.has(relative(root, path));
  await cp(root, target, { recursive: true, filter: isSource });
  await symlink(join(root, 'node_modules'), join(target, 'node_modules'));
}

/** Starts the gateway by `npm start` and stops it. @returns the seconds until it was ready */
async function startedIn(stage: Stage, cwd: string, data: string): Promise<number> {
  const startedAt = performance.now();
  const environment = { ...environmentOf(stage, data), npm_config_update_notifier: 'false' };
  const server = await ChildServer.start(['start'], environment, { command: 'npm', cwd });
  try {
    const { statusCode, body } = await request(`${server.origin}/health/ready`);
    await body.dump();
    if (statusCode !== 200) throw new Error(`/health/ready answered ${statusCode}`);
    return (performance.now() - startedAt) / 1_000;
  } finally {
    await server.stop();
  }
}

/** @returns MB of the gateway alone, without its PostgreSQL */
async function idleMemory(stage: Stage, data: string): Promise<number> {
  const main = join(__dirname, '../../../bundle/main.js');
  const server = await ChildServer.start([main], environmentOf(stage, data));
  try {
    await sleep(IDLE_AFTER_MS);
    return residentMemory(server.pid);
  } finally {
    await server.stop();
  }
}

function environmentOf(stage: Stage, data: string): Record<string, string> {
  return { PORT: '0', DATA_DIR: join(stage.directory, data), HOME: stage.directory };
}
