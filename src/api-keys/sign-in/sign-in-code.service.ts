import { createHash, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { environmentOfKey, type Environment } from '#contracts';
import { Clock } from '../../core/clock/clock.service';
import { Siblings } from '../../core/cluster/siblings.service';
import { ApiError, RateLimitError } from '../../core/http/lifecycle/api-error';
import { addressGroup } from '../../core/rate-limiting/address-group';
import { LimiterStorage } from '../../core/rate-limiting/limiter-storage.service';

const LIFETIME_MS = 10 * 60_000;
const CODE_BYTES = 24;
/** Wrong codes of one address in a minute. */
export const TRIES = 5;
const WINDOW_SECONDS = 60;
const WINDOWS = [{ limit: TRIES, seconds: WINDOW_SECONDS }];

/** The values of a live and a test key. */
export type FirstKeys = Record<Environment, string>;

/** The code of the link that a first start prints: it stands for the first keys once, for ten minutes. */
@Injectable()
export class SignInCode {
  constructor(
    private readonly clock: Clock,
    private readonly limiter: LimiterStorage,
    private readonly siblings: Siblings,
  ) {}

  /** @returns the code for these keys */
  async issue(keys: readonly string[]): Promise<string> {
    const byEnvironment = Object.fromEntries(keys.map((key) => [environmentOfKey(key), key])) as FirstKeys;
    const code = randomBytes(CODE_BYTES).toString('base64url');
    await this.siblings.keep(nameOf(code), byEnvironment, this.clock.now() + LIFETIME_MS);
    return code;
  }

  /**
   * Only wrong codes count against the limit, so that the right one always works.
   * @param address of the client
   * @throws ApiError INVALID_API_KEY for a code that is wrong, used or too old; RATE_LIMIT_EXCEEDED after many of them
   */
  async redeem(code: string, address: string): Promise<FirstKeys> {
    const keys = (await this.siblings.take(nameOf(code), this.clock.now())) as FirstKeys | undefined;
    if (!keys) throw await this.refusalOf(address);
    return keys;
  }

  private async refusalOf(address: string): Promise<ApiError> {
    const { allowed, retryAfterSeconds = 1 } = await this.limiter.hit(`sign-in:${addressGroup(address)}`, WINDOWS);
    if (allowed) return ApiError.invalidKey();
    const details = { limit: TRIES, window_seconds: WINDOW_SECONDS, retry_after_seconds: retryAfterSeconds };
    return new RateLimitError('sign_in', details, `More than ${TRIES} wrong codes in ${WINDOW_SECONDS} seconds.`);
  }
}

/** A digest, because the time of a look-up by the code itself could reveal parts of it. */
function nameOf(code: string): string {
  return `sign-in:${createHash('sha256').update(code).digest('hex')}`;
}
