import { createHash, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { environmentOfKey, type Environment } from '#contracts';
import { Clock } from '../../core/clock/clock.service';
import { Siblings } from '../../core/cluster/siblings.service';
import { ApiError, RateLimitError } from '../../core/http/lifecycle/api-error';
import { Refusals, WRONG_CODES_PER_MINUTE as LIMIT } from '../../core/rate-limiting/refusals.service';

const LIFETIME_MS = 10 * 60_000;
const CODE_BYTES = 24;
const WINDOW_SECONDS = 60;

/** The values of a live and a test key. */
export type FirstKeys = Record<Environment, string>;

/** The code of the link that a first start prints: it stands for the first keys once, for ten minutes. */
@Injectable()
export class SignInCode {
  constructor(
    private readonly clock: Clock,
    private readonly refusals: Refusals,
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
    if (!keys) throw this.refusalOf(address);
    return keys;
  }

  private refusalOf(address: string): ApiError {
    const retry_after_seconds = this.refusals.countCode(address);
    if (retry_after_seconds === 0) return ApiError.invalidKey();
    const details = { limit: LIMIT, window_seconds: WINDOW_SECONDS, retry_after_seconds };
    return new RateLimitError('sign_in', details, `More than ${LIMIT} wrong codes in ${WINDOW_SECONDS} seconds.`);
  }
}

/** A digest, because the time of a look-up by the code itself could reveal parts of it. */
function nameOf(code: string): string {
  return `sign-in:${createHash('sha256').update(code).digest('hex')}`;
}
