import { Injectable } from '@nestjs/common';
import { Clock } from '../clock/clock.service';
import { Siblings } from '../cluster/siblings.service';
import { addressGroup } from './address-group';
import { ExactLimiter } from './exact-limiter';

/**
 * Refused requests of an address in any minute before it must wait; also the refusals of an address or key that get audit
 * rows of their own.
 */
export const REFUSALS_PER_MINUTE = 60;

/** Wrong sign-in codes of one address in any minute. */
export const WRONG_CODES_PER_MINUTE = 5;

const WINDOW = { limit: REFUSALS_PER_MINUTE, seconds: 60 };
const TOPIC = 'refusal';

type Kind = 'address' | 'preflight' | 'key' | 'code';

interface Refusal {
  kind: Kind;
  of: string;
}

/**
 * Counts the requests that this instance's processes refused in the last minute: by address without a valid key, else by
 * key.
 */
@Injectable()
export class Refusals {
  private readonly limiters: Readonly<Record<Kind, ExactLimiter>>;

  constructor(
    clock: Clock,
    private readonly siblings: Siblings,
  ) {
    this.limiters = {
      address: new ExactLimiter(clock, WINDOW),
      preflight: new ExactLimiter(clock, WINDOW),
      key: new ExactLimiter(clock, WINDOW),
      code: new ExactLimiter(clock, { limit: WRONG_CODES_PER_MINUTE, seconds: 60 }),
    };
    siblings.onMessageOf(TOPIC, ({ kind, of }: Refusal) => void this.limiters[kind].hit(of));
  }

  /** @returns whether the refusal is within the limit of the minute */
  count(address: string): boolean {
    return this.hit('address', addressGroup(address)) === 0;
  }

  /** Preflight requests carry no key by design: many of them do not make the address wait. @returns as `count` */
  countPreflight(address: string): boolean {
    return this.hit('preflight', addressGroup(address)) === 0;
  }

  /** @returns as `count` */
  countOfKey(keyId: string): boolean {
    return this.hit('key', keyId) === 0;
  }

  /** Counts a wrong sign-in code. @returns seconds that the address must wait; 0: it is within the limit of the minute */
  countCode(address: string): number {
    return this.hit('code', addressGroup(address));
  }

  /** Whether a further refusal would exceed the limit. */
  isOver(address: string): boolean {
    return this.limiters.address.waitOf(addressGroup(address)) > 0;
  }

  private hit(kind: Kind, of: string): number {
    const waitSeconds = this.limiters[kind].hit(of);
    // If the address is over the limit here, it is over the limit in the other processes as well.
    if (waitSeconds === 0) this.siblings.tell(TOPIC, { kind, of } satisfies Refusal);
    return waitSeconds;
  }
}
