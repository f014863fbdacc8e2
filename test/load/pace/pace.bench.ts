import { randomInt } from 'node:crypto';
import { WhatsAppFake } from '../../fakes/whatsapp.fake';
import { apiContender, apiRequest } from '../api-request';
import type { Bench } from '../bench.port';
import { startGatewayServer } from '../gateway-server';
import { printVerdict } from '../goals';
import { closedLoop } from '../load';
import type { Stage } from '../stage';
import { percentile } from '../statistics';

const API_KEY = 'service_sk_live_benchbenchbenchbenchbenchbenchbe';
const CONNECTIONS = 32;
const RECIPIENTS = 1_000;
/** An idle bucket holds one second's worth of messages, which leave at once. */
const WARM_UP_SECONDS = 3;

/** The same load with one and with four processes, at Meta's default pace and at that of an upgraded account. */
const CASES = [
  { workers: 1, pace: 80 },
  { workers: 4, pace: 80 },
  { workers: 1, pace: 1_000 },
  { workers: 4, pace: 1_000 },
];

/** What WhatsApp gets in a second, beside the pace that all processes of a deployment share. */
export const PACE: Bench = {
  description: `sends to a fake WhatsApp at ${CONNECTIONS} connections with 1 and 4 workers, at a pace of 80 and 1,000 a second`,
  async run(stage) {
    for (const one of CASES) await measure(stage, one);
  },
};

async function measure(stage: Stage, { workers, pace }: (typeof CASES)[number]): Promise<void> {
  const whatsapp = new WhatsAppFake();
  await whatsapp.start();
  try {
    const name = `pace_${workers}_${pace}`;
    const databaseUrl = await stage.database(name);
    const server = await startGatewayServer(stage, name, databaseUrl, {
      ...whatsapp.env,
      BOOTSTRAP_API_KEY: API_KEY,
      WORKERS: String(workers),
      WHATSAPP_MESSAGES_PER_SECOND: String(pace),
    });
    const send = () => {
      const recipient = `4917${1_000_000 + randomInt(RECIPIENTS)}`;
      return apiRequest(API_KEY, 'POST', '/messages/send', { platform: 'whatsapp', recipient, message: 'Hello' });
    };
    const sender = apiContender(name, server, databaseUrl, send);
    await closedLoop(sender, CONNECTIONS, WARM_UP_SECONDS);
    const before = whatsapp.sent.length;
    const latencies: number[] = [];
    const seconds = stage.seconds ?? 8;
    const perSecond = await closedLoop(sender, CONNECTIONS, seconds, latencies);
    const sent = (whatsapp.sent.length - before) / (latencies.length / perSecond);
    console.log(`\n${workers} worker${workers === 1 ? '' : 's'}, pace ${pace}`);
    console.log(
      `  ${sent.toFixed(0)}/s, p50 ${percentile(latencies, 0.5).toFixed(1)} ms, p99 ${percentile(latencies, 0.99).toFixed(1)} ms`,
    );
    printVerdict('messages that WhatsApp got in a second', sent, { limit: pace * 1.05, unit: 'messages' });
    await server.stop();
  } finally {
    await whatsapp.shutDown();
  }
}
