import type { Exchange } from '../../core/egress/receiver-client.service';

/** Consequence of an attempt. */
export interface Outcome {
  status: 'success' | 'failed';
  error: string | null;
  /** State of the dispatch. */
  state: 'pending' | 'delivered' | 'failed';
  /** Seconds until the next attempt; null if there is none. */
  retryAfterSeconds: number | null;
  /** New status of the webhook; null if the attempt does not change it. */
  webhookStatus: 'failed' | 'disabled' | null;
}

/** The receiver says that it is gone for good (RFC 9110, 15.5.11). */
const GONE = 410;

/**
 * Judges an exchange: 2xx is success. No answer, 5xx, or a number outside HTTP's statuses (which RFC 9110, 15, treats as 5xx)
 * leads to a retry while the schedule has one; after the last retry the webhook has failed. Everything else is permanent.
 * @param retries how many retries were scheduled before
 * @param schedule seconds before the 1st, 2nd, … retry
 */
export function evaluate(exchange: Exchange, retries: number, schedule: readonly number[]): Outcome {
  const { responseCode, fault } = exchange;
  if (responseCode !== null && responseCode >= 200 && responseCode < 300) {
    return { status: 'success', error: null, state: 'delivered', retryAfterSeconds: null, webhookStatus: null };
  }
  const error = fault ?? explain(responseCode!);
  const permanent = responseCode !== null && responseCode < 500;
  if (permanent) {
    const webhookStatus = responseCode === GONE ? 'disabled' : null;
    return { status: 'failed', error, state: 'failed', retryAfterSeconds: null, webhookStatus };
  }
  const retryAfterSeconds = schedule[retries] ?? null;
  return retryAfterSeconds === null
    ? { status: 'failed', error, state: 'failed', retryAfterSeconds, webhookStatus: 'failed' }
    : { status: 'failed', error, state: 'pending', retryAfterSeconds, webhookStatus: null };
}

function explain(responseCode: number): string {
  if (responseCode >= 300 && responseCode < 400) {
    return `The receiver answered ${responseCode}: redirects are not followed`;
  }
  return `The receiver answered ${responseCode}`;
}
