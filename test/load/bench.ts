import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { AI } from './ai/ai.bench';
import { BACKUP } from './backup/backup.bench';
import type { Bench } from './bench.port';
import { CALLBACKS } from './callbacks/callbacks.bench';
import { DASHBOARD } from './dashboard/dashboard.bench';
import { EXPLAIN } from './explain/explain.bench';
import { FLEET } from './fleet/fleet.bench';
import { GROWTH } from './growth/growth.bench';
import { RETENTION } from './growth/retention.bench';
import { HOSTILE, HOSTILE_FILES } from './hostile/hostile.bench';
import { INBOUND } from './inbound/inbound.bench';
import { LIST } from './list/list.bench';
import { MEDIA } from './media/media.bench';
import { NIGHT } from './soak/night.bench';
import { PACE } from './pace/pace.bench';
import { SEND } from './send/send.bench';
import { DEAD_HOSTS } from './soak/dead-hosts.bench';
import { SOAK } from './soak/soak.bench';
import { START } from './start/start.bench';
import { Stage, type StageOptions } from './stage';
import { TEXT } from './text/text.bench';
import { disturbances } from './undisturbed';
import { WEBHOOKS } from './webhooks/webhooks.bench';

/** Name on the command line → bench. */
const BENCHES: Readonly<Record<string, Bench>> = {
  ai: AI,
  backup: BACKUP,
  callbacks: CALLBACKS,
  dashboard: DASHBOARD,
  'dead-hosts': DEAD_HOSTS,
  explain: EXPLAIN,
  fleet: FLEET,
  growth: GROWTH,
  hostile: HOSTILE_FILES,
  'hostile-clients': HOSTILE,
  inbound: INBOUND,
  list: LIST,
  media: MEDIA,
  night: NIGHT,
  pace: PACE,
  retention: RETENTION,
  send: SEND,
  soak: SOAK,
  start: START,
  text: TEXT,
  webhooks: WEBHOOKS,
};

function usage(): string {
  const width = Math.max(...Object.keys(BENCHES).map((name) => name.length));
  const list = Object.entries(BENCHES).map(([name, { description }]) => `  ${name.padEnd(width)}  ${description}`);
  return [
    'Usage: npm run bench -- <name> … [--profile <directory>] [--seconds <number>] [--rows <number>] [--beside <commit>]',
    '',
    ...list,
  ].join('\n');
}

async function run(bench: Bench, options: StageOptions): Promise<void> {
  const stage = await Stage.open(options);
  const stop = () => void stage.close().finally(() => process.exit(130));
  process.once('SIGINT', stop).once('SIGTERM', stop);
  try {
    await bench.run(stage);
  } finally {
    process.removeListener('SIGINT', stop).removeListener('SIGTERM', stop);
    await stage.close();
  }
}

async function main(): Promise<number> {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      profile: { type: 'string' },
      seconds: { type: 'string' },
      rows: { type: 'string' },
      beside: { type: 'string' },
    },
  });
  const unknown = positionals.filter((name) => !Object.hasOwn(BENCHES, name));
  if (positionals.length === 0 || unknown.length > 0) {
    if (unknown.length > 0) console.error(`There is no bench named ${unknown.join(', ')}.`);
    console.error(usage());
    return 1;
  }
  const [seconds, rows] = [values.seconds, values.rows].map((value) =>
    value === undefined ? undefined : Number(value),
  );
  if ([seconds, rows].some((number) => number !== undefined && !(number >= 1))) {
    console.error('--seconds and --rows are numbers from 1 on.');
    return 1;
  }
  const profileDirectory = values.profile && resolve(values.profile);
  if (profileDirectory) mkdirSync(profileDirectory, { recursive: true });
  for (const name of positionals) {
    const { description } = BENCHES[name]!;
    console.log(`\n${name}: ${description}`);
    await run(BENCHES[name]!, { profileDirectory, seconds, rows, beside: values.beside });
    const disturbed = disturbances();
    if (disturbed) console.log(`\n${disturbed}`);
  }
  return 0;
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
