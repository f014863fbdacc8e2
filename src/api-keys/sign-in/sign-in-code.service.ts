import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { environmentOfKey, isEqualInConstantTime, type Environment } from '#contracts';
import { Clock } from '../../core/clock/clock.service';
import { ApiError } from '../../core/http/lifecycle/api-error';

const LIFETIME_MS = 10 * 60_000;
const CODE_BYTES = 24;

/** The values of a live and a test key. */
export type FirstKeys = Record<Environment, string>;

interface Offer {
  code: string;
  keys: FirstKeys;
  expiresAt: number;
}

/** The code of the link that a first start prints: it stands for the first keys once, for ten minutes, in this process. */
@Injectable()
export class SignInCode {
  private offer?: Offer;

  constructor(private readonly clock: Clock) {}

  /** @returns the code for these keys */
  issue(keys: readonly string[]): string {
    const byEnvironment = Object.fromEntries(keys.map((key) => [environmentOfKey(key), key])) as FirstKeys;
    const code = randomBytes(CODE_BYTES).toString('base64url');
    this.offer = { code, keys: byEnvironment, expiresAt: this.clock.now() + LIFETIME_MS };
    return code;
  }

  /** @throws ApiError INVALID_API_KEY for a code that is wrong, used or too old */
  redeem(code: string): FirstKeys {
    const { offer } = this;
    if (offer && offer.expiresAt <= this.clock.now()) this.offer = undefined;
    if (!this.offer || !isEqualInConstantTime(code, this.offer.code)) throw ApiError.invalidKey();
    const { keys } = this.offer;
    this.offer = undefined;
    return keys;
  }
}
