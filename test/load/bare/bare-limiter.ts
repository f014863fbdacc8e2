import { Redis } from 'ioredis';

/** KEYS: per window, a hash: bucket → requests. ARGV: per window, its limit and its length in seconds. A window has 60 buckets. */
const SCRIPT = `
local now = tonumber(redis.call('TIME')[1])
local used = {}
for i, key in ipairs(KEYS) do
  local seconds = tonumber(ARGV[2 * i])
  local bucket = math.floor(now * 60 / seconds)
  used[i] = 0
  for _, name in ipairs(redis.call('HKEYS', key)) do
    if tonumber(name) <= bucket - 60 then redis.call('HDEL', key, name)
    else used[i] = used[i] + tonumber(redis.call('HGET', key, name)) end
  end
  if used[i] >= tonumber(ARGV[2 * i - 1]) then return {0, used[i]} end
end
for i, key in ipairs(KEYS) do
  local seconds = tonumber(ARGV[2 * i])
  redis.call('HINCRBY', key, math.floor(now * 60 / seconds), 1)
  redis.call('EXPIRE', key, seconds)
end
return {1, used[1]}`;

interface LimitCommand {
  hit(keys: number, ...keysAndArguments: (string | number)[]): Promise<[allowed: number, used: number]>;
}

/** A sliding rate limit window. */
export interface BareWindow {
  key: string;
  limit: number;
  seconds: number;
}

/** Counts a request in all its windows or in none, in one round trip to Redis. Without `REDIS_URL`, counts in this process. */
export class BareLimiter {
  private readonly redis?: Redis & LimitCommand;
  private readonly counts = new Map<string, number>();

  constructor(url = process.env['REDIS_URL']) {
    if (url === undefined) return;
    const redis = new Redis(url);
    redis.defineCommand('hit', { lua: SCRIPT });
    this.redis = redis as Redis & LimitCommand;
  }

  /** @returns whether the request is allowed, and the remaining requests of the first window */
  async hit(windows: readonly BareWindow[]): Promise<{ allowed: boolean; remaining: number }> {
    const limit = windows[0]!.limit;
    const keys = windows.map(({ key, seconds }) => `bare:${key}:${seconds}`);
    if (!this.redis) return this.hitHere(keys, limit);
    const limits = windows.flatMap((window) => [window.limit, window.seconds]);
    const [allowed, used] = await this.redis.hit(keys.length, ...keys, ...limits);
    return { allowed: allowed === 1, remaining: limit - used - 1 };
  }

  private hitHere(keys: readonly string[], limit: number): { allowed: boolean; remaining: number } {
    for (const key of keys) this.counts.set(key, (this.counts.get(key) ?? 0) + 1);
    return { allowed: true, remaining: limit - this.counts.get(keys[0]!)! };
  }
}
