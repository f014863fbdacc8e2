import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import type { Timetable } from '../load';
import type { Commits } from './gateway-server';
import type { Party } from './parties';
import type { Arrivals } from './receiver-server';

const LOOK_MS = 100;
/** Time for all arrivals after the last commit, in milliseconds. */
const TIMEOUT_MS = 60_000;

/**
 * Makes a gateway commit events on a timetable.
 * @param receiver origin of the receiver
 * @param receivers number of its paths that get each event
 * @returns milliseconds from each commit to each arrival, by the machine's clock
 * @throws unless all arrive
 */
export async function arrivalLatencies(
  gateway: Party,
  receiver: string,
  receivers: number,
  { perSecond, seconds }: Timetable,
): Promise<number[]> {
  await takeArrivals(receiver);
  const commits = await gateway.order<Commits>('commit', { perSecond, seconds });
  const committedAt = new Map(commits.map(({ event, at }) => [event, at]));
  const first = new Map<string, number>();
  const deadline = performance.now() + TIMEOUT_MS;
  while (first.size < commits.length * receivers) {
    if (performance.now() > deadline) {
      throw new Error(`${gateway.name}: ${first.size} of ${commits.length * receivers} deliveries arrived`);
    }
    await sleep(LOOK_MS);
    for (const { event, path, at } of await takeArrivals(receiver)) {
      const since = committedAt.get(event);
      const key = `${event} ${path}`;
      if (since !== undefined && !first.has(key)) first.set(key, at - since);
    }
  }
  return [...first.values()];
}

async function takeArrivals(receiver: string): Promise<Arrivals> {
  return (await (await request(receiver)).body.json()) as Arrivals;
}
