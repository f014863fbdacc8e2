import { setTimeout as sleep } from 'node:timers/promises';
import type { Dispatcher } from 'undici';
import { WhatsAppFake } from '../../fakes/whatsapp.fake';
import type { WhatsAppStatus } from '../../fakes/whatsapp-types';
import type { Bench, Contender } from '../bench.port';
import { untilTrue } from '../bench-database';
import { startGatewayServer } from '../gateway-server';
import { printVerdict } from '../goals';
import { openLoop } from '../load';
import { withClient, type Stage } from '../stage';
import { percentile } from '../statistics';
import { measureArrival } from './arrival';
import { signedCallback } from './signed-callback';

const API_KEY = 'service_sk_live_benchbenchbenchbenchbenchbenchbe';
const SECONDS = 20;
const PER_SECOND = 300;
const STATUSES: readonly WhatsAppStatus[] = ['sent', 'delivered', 'read'];
const PRICING = { billable: true, pricing_model: 'PMP', category: 'service' };
const GOAL_MS = 200;

/** Inserts $1 sent messages that wait for receipts. */
const MESSAGES = `
  WITH person AS (
    INSERT INTO conversations (id, environment, platform, participant_id, status, message_count, created_at, last_message_at)
    SELECT gen_random_uuid(), 'live', 'whatsapp', '4917' || n, 'active', 1, now(), now()
    FROM generate_series(1000000, 999999 + $1::integer) n RETURNING id, participant_id
  ),
  message AS (
    INSERT INTO messages (id, environment, conversation_id, seq, platform, direction, content, status, created_at, sent_at, sent_by)
    SELECT gen_random_uuid(), 'live', id, 1, 'whatsapp', 'outbound', 'Hello', 'sent', now(), now(), 'api' FROM person
    RETURNING id
  )
  INSERT INTO message_parts (message_id, part_index, environment, platform, platform_message_id, status, recorded_at)
  SELECT id, 0, 'live', 'whatsapp', 'wamid.' || row_number() OVER (), 'sent', now() FROM message`;

const ALL_READ = `
  SELECT (SELECT count(*) FROM messages WHERE read_at IS NOT NULL) = $1::integer
    AND (SELECT sum(billable) FROM platform_usage) = $1 AS done`;

/** WhatsApp status callbacks with prices, one per request: sent, delivered and read for each message. */
export const CALLBACKS: Bench = {
  description:
    'callbacks of WhatsApp: from a text to its event at a receiver; 300 statuses a second until each is durable',
  async run(stage) {
    const seconds = stage.seconds ?? SECONDS;
    await measureArrival(stage);
    const whatsapp = new WhatsAppFake();
    await whatsapp.start();
    try {
      await measure(stage, whatsapp, seconds);
    } finally {
      await whatsapp.shutDown();
    }
  },
};

async function measure(stage: Stage, whatsapp: WhatsAppFake, seconds: number): Promise<void> {
  const databaseUrl = await stage.database('callbacks');
  const { origin } = await startGatewayServer(stage, 'callbacks', databaseUrl, {
    BOOTSTRAP_API_KEY: API_KEY,
    ...whatsapp.env,
  });
  const messages = (PER_SECOND * seconds) / STATUSES.length;
  await withClient(databaseUrl, (client) => client.query(MESSAGES, [messages]));
  await sleep(2_000);
  await withClient(databaseUrl, (client) => client.query('ANALYZE'));
  const latencies = await openLoop(callbacks(whatsapp, origin, messages), PER_SECOND, seconds);
  console.log(`\n${latencies.length} callbacks in ${seconds} s: ${messages} messages, three statuses each`);
  for (const share of [0.5, 0.9]) console.log(`  p${share * 100}: ${percentile(latencies, share).toFixed(1)} ms`);
  printVerdict('p99', percentile(latencies, 0.99), { limit: GOAL_MS, unit: 'ms' });
  await untilTrue(databaseUrl, ALL_READ, [messages]);
  console.log('  every message is read and billed once');
}

/** First `sent` of all messages, then `delivered`, then `read`: a person does not read a message as soon as it arrives. */
function callbacks(whatsapp: WhatsAppFake, origin: string, messages: number): Contender {
  let count = 0;
  return {
    name: 'gateway',
    origin,
    settled: () => Promise.resolve(),
    request: (): Dispatcher.RequestOptions => {
      const message = (count % messages) + 1;
      const status = STATUSES[Math.floor(count++ / messages)]!;
      const value = whatsapp.statusValue({ id: `wamid.${message}`, to: `4917${message}` } as never, status);
      for (const one of (value as { statuses: object[] }).statuses) Object.assign(one, { pricing: PRICING });
      return signedCallback(whatsapp, value);
    },
  };
}
