import type { QueryClient } from '@tanstack/react-query';
import type { Statistics } from '#client';
import { refreshSoon } from './refresh-soon';

/** The counts that an event adds. */
interface Increase {
  platform?: keyof Statistics['by_platform'];
  messages?: number;
  tokens?: number;
  costUsd?: number;
}

/** Adds to the newest bucket of the cached statistics. If the event is in another bucket, reads the statistics again. */
export function applyToStatistics(client: QueryClient, at: string, increase: Increase): void {
  for (const [queryKey, statistics] of client.getQueriesData<Statistics>({ queryKey: ['statistics'] })) {
    if (!statistics) continue;
    if (isOfNewestBucket(statistics, at)) client.setQueryData(queryKey, increased(statistics, increase));
    else refreshSoon(client, queryKey);
  }
}

/** Buckets are in UTC. The date of a week is its Monday, so most events of a week make the page read again. */
function isOfNewestBucket({ timeline }: Statistics, at: string): boolean {
  const newest = timeline.at(-1);
  if (!newest || !at.startsWith(newest.date)) return false;
  return newest.hour === undefined || newest.hour === new Date(at).getUTCHours();
}

/** Sum in US dollars, with the gateway's eight decimals. */
function sumOf(one: number, other: number): number {
  return Number((one + other).toFixed(8));
}

function increased(statistics: Statistics, increase: Increase): Statistics {
  const { platform, messages = 0, tokens = 0, costUsd = 0 } = increase;
  const { totals, by_platform, timeline } = statistics;
  const newest = timeline.at(-1)!;
  return {
    ...statistics,
    totals: {
      ...totals,
      messages: totals.messages + messages,
      tokens: totals.tokens + tokens,
      cost_usd: sumOf(totals.cost_usd, costUsd),
    },
    by_platform: platform ? { ...by_platform, [platform]: by_platform[platform] + messages } : by_platform,
    timeline: [
      ...timeline.slice(0, -1),
      {
        ...newest,
        messages: newest.messages + messages,
        tokens: (newest.tokens ?? 0) + tokens,
        cost_usd: sumOf(newest.cost_usd ?? 0, costUsd),
      },
    ],
  };
}
