import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { AI } from './ai/ai.bench';
import type { Bench } from './bench.port';
import { LIST } from './list/list.bench';
import { SEND } from './send/send.bench';
import { Stage } from './stage';
import { TEXT } from './text/text.bench';
import { disturbances } from './undisturbed';
import { WEBHOOKS } from './webhooks/webhooks.bench';

/** Every bench, by the name it is asked for. */
const BENCHES: Readonly<Record<string, Bench>> = { ai: AI, list: LIST, send: SEND, text: TEXT, webhooks: WEBHOOKS };

function usage(): string {
  const width = Math.max(...Object.keys(BENCHES).map((name) => name.length));
  const list = Object.entries(BENCHES).map(([name, { description }]) => `  ${name.padEnd(width)}  ${description}`);
  return ['Usage: npm run bench -- <name> … [--profile <directory>]', '', ...list].join('\n');
}

async function run(bench: Bench, profileDirectory: string | undefined): Promise<void> {
  const stage = await Stage.open({ profileDirectory });
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
  const { positionals, values } = parseArgs({ allowPositionals: true, options: { profile: { type: 'string' } } });
  const unknown = positionals.filter((name) => !Object.hasOwn(BENCHES, name));
  if (positionals.length === 0 || unknown.length > 0) {
    if (unknown.length > 0) console.error(`There is no bench named ${unknown.join(', ')}.`);
    console.error(usage());
    return 1;
  }
  const profileDirectory = values.profile && resolve(values.profile);
  if (profileDirectory) mkdirSync(profileDirectory, { recursive: true });
  for (const name of positionals) {
    const { description } = BENCHES[name]!;
    console.log(`\n${name}: ${description}`);
    await run(BENCHES[name]!, profileDirectory);
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
