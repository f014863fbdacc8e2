import type { Bench } from '../bench.port';
import { untilTrue } from '../bench-database';
import { warmUp } from '../comparison';
import { startGatewayServer } from '../gateway-server';
import { printVerdict } from '../goals';
import { compareSizes } from '../list/list.bench';
import { lastMoment } from '../list/gateway-database';
import { closedLoop } from '../load';
import { API_KEY, gatewaySender, SANDBOX } from '../send/send.bench';
import { tasksDone } from '../send/send-database';
import { withClient, type Stage } from '../stage';
import { sizesOf, type TableSize } from './table-sizes';

const CONNECTIONS = 16;
const SECONDS = 20;
/** Messages of the longer list. */
const ROWS = 200_000;
const MOST_BYTES = 2_048;

/** Bytes on disk per sent message, and the latency of lists by their length. */
export const GROWTH: Bench = {
  description:
    'bytes on the disk for each sent message, by table; the list of many beside that of few (--rows, --seconds)',
  async run(stage) {
    await measureBytes(stage);
    await compareSizes(stage, [stage.rows ?? ROWS], new Map(), lastMoment());
  },
};

async function measureBytes(stage: Stage): Promise<void> {
  const databaseUrl = await stage.database('gateway_growth');
  const gateway = await startGatewayServer(stage, 'gateway', databaseUrl, { BOOTSTRAP_API_KEY: API_KEY });
  const sender = await gatewaySender(gateway, databaseUrl, SANDBOX);
  // After that, every recipient has a conversation and every key has counters.
  await warmUp([sender]);
  // Like autovacuum once a minute: from now on, new row versions reuse the space of old ones.
  await withClient(databaseUrl, (client) => client.query('VACUUM'));
  const [before, first] = [await sizesOf(databaseUrl), sender.asked()];
  await closedLoop(sender, CONNECTIONS, stage.seconds ?? SECONDS);
  await tasksDone(databaseUrl);
  await untilTrue(databaseUrl, sender.stored, [sender.asked()]);
  const after = await sizesOf(databaseUrl);
  const sent = sender.asked() - first;
  console.log(
    `\n${sent.toLocaleString('en')} messages sent through the sandbox, without webhooks: bytes of each, with indexes`,
  );
  for (const { name, bytes } of after) {
    const grown = (bytes - (before.find((table) => table.name === name)?.bytes ?? 0)) / sent;
    if (grown >= 1) console.log(`  ${name.padEnd(24)} ${Math.round(grown).toLocaleString('en').padStart(6)}`);
  }
  const sum = (tables: readonly TableSize[]) => tables.reduce((total, { bytes }) => total + bytes, 0);
  printVerdict('everything included', (sum(after) - sum(before)) / sent, { limit: MOST_BYTES, unit: 'bytes' });
}
