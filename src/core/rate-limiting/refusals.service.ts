import { Injectable } from '@nestjs/common';
import { Clock } from '../clock/clock.service';
import { Siblings } from '../cluster/siblings.service';
import { addressGroup } from './address-group';
import { LocalLimiter } from './local-limiter';

/**
 * Refused requests of an address in any minute before it must wait; also the refusals of an address or key that get audit
 * rows of their own.
 */
export const REFUSALS_PER_MINUTE = 60;

const WINDOWS = [{ limit: REFUSALS_PER_MINUTE, seconds: 60 }];
const TOPIC = 'refusal';

type Kind = 'address' | 'preflight' | 'key';

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
  private readonly limiters: Readonly<Record<Kind, LocalLimiter>>;

  constructor(
    clock: Clock,
    private readonly siblings: Siblings,
  ) {
    this.limiters = {
      address: new LocalLimiter(clock),
      preflight: new LocalLimiter(clock),
      key: new LocalLimiter(clock),
    };
    siblings.onTold(TOPIC, ({ kind, of }: Refusal) => void this.limiters[kind].hit(of, WINDOWS));
  }

  /** @returns whether the refusal is within the limit of the minute */
  count(address: string): boolean {
    return this.hit('address', addressGroup(address));
  }

  /** Preflight requests carry no key by design: many of them do not make the address wait. @returns as `count` */
  countPreflight(address: string): boolean {
    return this.hit('preflight', addressGroup(address));
  }

  /** @returns as `count` */
  countOfKey(keyId: string): boolean {
    return this.hit('key', keyId);
  }

  /** Whether a further refusal would exceed the limit. */
  isOver(address: string): boolean {
    return this.limiters.address.refusal(addressGroup(address), WINDOWS) !== undefined;
  }

  private hit(kind: Kind, of: string): boolean {
    const { allowed } = this.limiters[kind].hit(of, WINDOWS);
    // If the address is over the limit here, it is over the limit in the other processes as well.
    if (allowed) this.siblings.tell(TOPIC, { kind, of } satisfies Refusal);
    return allowed;
  }
}
