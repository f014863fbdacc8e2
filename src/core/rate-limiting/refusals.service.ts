import { Injectable } from '@nestjs/common';
import { Clock } from '../clock/clock.service';
import { addressGroup } from './address-group';
import { LocalLimiter } from './local-limiter';

/** Refused requests of one address in any minute before it has to wait; those of an address or a key that have their own audit rows. */
export const REFUSALS_PER_MINUTE = 60;

const WINDOWS = [{ limit: REFUSALS_PER_MINUTE, seconds: 60 }];

/** The requests that this instance refused in the last minute: by address without a valid key, else by key. */
@Injectable()
export class Refusals {
  private readonly refusals: LocalLimiter;
  private readonly preflights: LocalLimiter;
  private readonly ofKeys: LocalLimiter;

  constructor(clock: Clock) {
    this.refusals = new LocalLimiter(clock);
    this.preflights = new LocalLimiter(clock);
    this.ofKeys = new LocalLimiter(clock);
  }

  /** @returns whether it is one of the first of the minute */
  count(address: string): boolean {
    return this.refusals.hit(addressGroup(address), WINDOWS).allowed;
  }

  /** A preflight request has no key by design: many of them do not make the address wait. @returns as `count` */
  countPreflight(address: string): boolean {
    return this.preflights.hit(addressGroup(address), WINDOWS).allowed;
  }

  /** @returns as `count` */
  countOfKey(keyId: string): boolean {
    return this.ofKeys.hit(keyId, WINDOWS).allowed;
  }

  /** Whether a further refusal would be one too many. */
  isOver(address: string): boolean {
    return this.refusals.refusal(addressGroup(address), WINDOWS) !== undefined;
  }
}
