import { RateLimitError } from '../../core/http/lifecycle/api-error';
import type { CountedMessage } from '../../core/http/lifecycle/request-context';
import type { CountedCompanion } from '../../core/rate-limiting/sliding-window';

const WINDOW_SECONDS = 60;

export function messageOf(keyId: string, limit: number) {
  return { key: `send:${keyId}`, windows: [{ limit, seconds: WINDOW_SECONDS }] };
}

/** A message that is counted before the gateway knows whether the request sends it. */
export function countedMessage(counted: CountedCompanion): CountedMessage {
  const { decision } = counted;
  let taken = false;
  return {
    take() {
      taken = true;
      if (decision.allowed) return;
      const { limit, retryAfterSeconds: retry_after_seconds = 1 } = decision;
      throw new RateLimitError(
        'messages_per_minute',
        { limit, window_seconds: WINDOW_SECONDS, retry_after_seconds },
        `More than ${limit} messages in a minute (settings: rate_limits.messages_per_minute).`,
      );
    },
    release() {
      taken = false;
    },
    settle() {
      if (!taken) counted.giveBack();
    },
  };
}
