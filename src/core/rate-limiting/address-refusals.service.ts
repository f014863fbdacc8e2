import { Injectable } from '@nestjs/common';
import { Clock } from '../clock/clock.service';
import { addressGroup } from './address-group';
import { LocalLimiter } from './local-limiter';

/** Requests of one address in any minute that may be refused before it has to wait. */
export const REFUSALS_PER_MINUTE = 60;

const WINDOWS = [{ limit: REFUSALS_PER_MINUTE, seconds: 60 }];

/** The requests without a valid key that this instance refused, by address. */
@Injectable()
export class AddressRefusals {
  private readonly refusals: LocalLimiter;
  private readonly preflights: LocalLimiter;

  constructor(clock: Clock) {
    this.refusals = new LocalLimiter(clock);
    this.preflights = new LocalLimiter(clock);
  }

  /** @returns whether it is one of the first of the minute */
  count(address: string): boolean {
    return this.refusals.hit(addressGroup(address), WINDOWS).allowed;
  }

  /** A preflight request has no key by design: many of them do not make the address wait. @returns as `count` */
  countPreflight(address: string): boolean {
    return this.preflights.hit(addressGroup(address), WINDOWS).allowed;
  }

  /** Whether a further refusal would be one too many. */
  isOver(address: string): boolean {
    return this.refusals.refusal(addressGroup(address), WINDOWS) !== undefined;
  }
}
