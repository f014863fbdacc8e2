import type { Window } from '../../core/rate-limiting/limit';

export const TIERS = {
  standard: { perMinute: 60, perHour: 1_000 },
  pro: { perMinute: 120, perHour: 3_000 },
  elite: { perMinute: 300, perHour: 10_000 },
} as const;
export type Tier = keyof typeof TIERS;
export const TIER_NAMES = Object.keys(TIERS) as Tier[];

/** The windows of a key: its own limits if it has them, else those of its tier. */
export function windowsOf(key: {
  tier: Tier;
  requestsPerMinute: number | null;
  requestsPerHour: number | null;
}): Window[] {
  const tier = TIERS[key.tier];
  return [
    { limit: key.requestsPerMinute ?? tier.perMinute, seconds: 60 },
    { limit: key.requestsPerHour ?? tier.perHour, seconds: 3_600 },
  ];
}
