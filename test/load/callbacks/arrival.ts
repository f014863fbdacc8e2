import { request } from 'undici';
import { ReceiverFake, LOCAL_RECEIVERS } from '../../fakes/receiver.fake';
import { WhatsAppFake } from '../../fakes/whatsapp.fake';
import { eventually } from '../../support/eventually';
import { callGateway } from '../api-request';
import { startGatewayServer } from '../gateway-server';
import { printVerdict } from '../goals';
import { onTimetable } from '../load';
import type { Stage } from '../stage';
import { percentile } from '../statistics';
import { signedCallback } from './signed-callback';

const API_KEY = 'service_sk_live_benchbenchbenchbenchbenchbenchbe';
const TIMETABLE = { perSecond: 20, seconds: 15 };
const WARM_UP = { perSecond: 50, seconds: 4 };
const GOALS = { p50: 9, p99: 25 };

/** A person writes: from Meta's callback until the webhook's receiver has the event. */
export async function measureArrival(stage: Stage): Promise<void> {
  const whatsapp = new WhatsAppFake();
  const receiver = new ReceiverFake();
  await Promise.all([whatsapp.start(), receiver.start()]);
  try {
    const databaseUrl = await stage.database('arrival');
    const { origin } = await startGatewayServer(stage, 'arrival', databaseUrl, {
      BOOTSTRAP_API_KEY: API_KEY,
      ...whatsapp.env,
      ...LOCAL_RECEIVERS,
    });
    const webhook = { url: receiver.url(), events: ['message.received'] };
    await callGateway(origin, API_KEY, 'POST', '/webhooks', webhook);
    // An answer would share the processor with the delivery.
    await callGateway(origin, API_KEY, 'PATCH', '/admin/settings', { ai: { auto_reply: false } });
    const sentAt = new Map<string, number>();
    let count = 0;
    const write = async () => {
      const text = `message ${(count += 1)}`;
      const from = `4917${1_000_000 + (count % 200)}`;
      const { path, ...callback } = signedCallback(
        whatsapp,
        whatsapp.messageValue({ type: 'text', text: { body: text } }, { from }),
      );
      sentAt.set(text, performance.now());
      await (await request(`${origin}${path}`, callback)).body.dump();
    };
    const arrived = () =>
      eventually('all events arrived', () => {
        if (receiver.posts.length < count) throw new Error(`${receiver.posts.length} of ${count} arrived`);
      });
    await onTimetable(WARM_UP, write);
    await arrived();
    const before = receiver.posts.length;
    await onTimetable(TIMETABLE, write);
    await arrived();
    const latencies = receiver.posts
      .slice(before)
      .map(({ at, event }) => at - sentAt.get((event.data as { content: string }).content)!);
    console.log(`\nFrom the callback of a text to its event at the receiver, ${TIMETABLE.perSecond} a second`);
    for (const [share, limit] of [
      [0.5, GOALS.p50],
      [0.99, GOALS.p99],
    ] as const)
      printVerdict(`p${share * 100}`, percentile(latencies, share), { limit, unit: 'ms' });
  } finally {
    await Promise.all([whatsapp.shutDown(), receiver.stop()]);
  }
}
