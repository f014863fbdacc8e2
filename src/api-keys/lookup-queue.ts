import { RateLimitError } from '../core/http/lifecycle/api-error';
import { addressGroup } from '../core/rate-limiting/address-group';
import { REFUSALS_PER_MINUTE, type Refusals } from '../core/rate-limiting/refusals.service';

/** Look-ups of one address that wait behind the one under way. */
export const WAITING = 10;

interface Queue<T> {
  /** The running look-up and the waiting ones, by key. */
  underWay: Map<string, Promise<T>>;
  last: Promise<unknown>;
}

/**
 * Look-ups of keys in the database. Those of an address with many refusals run one at a time, so that a stranger who tries
 * keys costs little, and a valid key from the same address still gets in.
 */
export class LookupQueue<T> {
  private readonly queues = new Map<string, Queue<T>>();

  constructor(private readonly refusals: Refusals) {}

  /** @throws ApiError RATE_LIMIT_EXCEEDED if too many look-ups of the address wait */
  run(address: string, key: string, lookup: () => Promise<T>): Promise<T> {
    return this.refusals.isOver(address) ? this.enqueue(addressGroup(address), key, lookup) : lookup();
  }

  private enqueue(group: string, key: string, lookup: () => Promise<T>): Promise<T> {
    const queue = this.queues.get(group) ?? { underWay: new Map<string, Promise<T>>(), last: Promise.resolve() };
    const { underWay } = queue;
    // Requests of one key share a look-up: those of a busy valid key would else fill the queue, and be refused.
    const shared = underWay.get(key);
    if (shared) return shared;
    if (underWay.size > WAITING) return Promise.reject(tooMany());
    this.queues.set(group, queue);
    const done = queue.last.then(lookup).finally(() => {
      underWay.delete(key);
      if (underWay.size === 0) this.queues.delete(group);
    });
    underWay.set(key, done);
    queue.last = done.catch(() => undefined);
    return done;
  }
}

function tooMany(): RateLimitError {
  return new RateLimitError(
    'address',
    { limit: REFUSALS_PER_MINUTE, window_seconds: 60, retry_after_seconds: 1 },
    'Too many requests without a valid key from this address.',
  );
}
