/** Result of an exchange with a receiver. */
export interface Exchange {
  /** Null without a response. */
  responseCode: number | null;
  responseTimeMs: number;
  /** By their names in lower case. */
  responseHeaders: Record<string, string> | null;
  /** The first 4 KiB. */
  responseBody: string | null;
  /** Why there was no response. */
  fault: string | null;
  /** The guard refused the address: as any network error, but told apart in logs. */
  refused: boolean;
}

/** Consequence of an attempt. */
export interface Outcome {
  status: 'success' | 'failed';
  error: string | null;
  /** State of the dispatch. */
  state: 'pending' | 'delivered' | 'failed';
  /** Seconds until the next attempt, where there is one. */
  retryAfterSeconds: number | null;
  /** New status of the webhook, where the attempt changes it. */
  webhookStatus: 'failed' | 'disabled' | null;
}

/** The receiver is gone for good, and says so (RFC 9110, 15.5.11). */
const GONE = 410;

/**
 * Judges an exchange: 2xx is success; no answer and 5xx are worth another try as long as the schedule has one, and so is a
 * number that is no status of HTTP (RFC 9110, 15: to be taken for a 5xx); all else is permanent. When the schedule is used
 * up the webhook has failed.
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
