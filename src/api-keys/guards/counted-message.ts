import { RateLimitError } from '../../core/http/lifecycle/api-error';
import type { CountedMessage } from '../../core/http/lifecycle/request-context';
import type { LimitDecision } from '../../core/rate-limiting/limit';

/** A message that is counted before the gateway knows whether the request sends it. */
export function countedMessage(decision: LimitDecision, giveBack: () => void): CountedMessage {
  const { allowed, limit, windowSeconds: window_seconds, retryAfterSeconds: retry_after_seconds = 1 } = decision;
  let taken = false;
  return {
    take() {
      taken = allowed;
      if (allowed) return;
      throw new RateLimitError(
        'messages_per_minute',
        { limit, window_seconds, retry_after_seconds },
        `More than ${limit} messages in a minute (settings: rate_limits.messages_per_minute).`,
      );
    },
    release() {
      taken = false;
    },
    settle() {
      if (!taken) giveBack();
    },
  };
}
