import type { Exchange } from '../../core/egress/receiver-client.service';
import { evaluate } from './outcome';

const NO_ANSWER = { responseTimeMs: 5, responseHeaders: null, responseBody: null, refused: false, timedOut: false };
const SCHEDULE = [60, 300, 1_800, 7_200, 43_200];

function exchange(responseCode: number | null): Exchange {
  const fault = responseCode === null ? 'The connection was reset (ECONNRESET)' : null;
  return { ...NO_ANSWER, responseCode, fault };
}

describe(evaluate.name, () => {
  it.each([200, 201, 204, 299])('treats %i as success', (status) => {
    expect(evaluate(exchange(status), 0, SCHEDULE)).toEqual({
      status: 'success',
      error: null,
      state: 'delivered',
      retryAfterSeconds: null,
      webhookStatus: null,
    });
  });

  it.each([300, 301, 304, 307, 400, 401, 404, 408, 425, 429, 499])(
    'treats %i as a permanent failure of the event',
    (status) => {
      expect(evaluate(exchange(status), 0, SCHEDULE)).toMatchObject({
        status: 'failed',
        error: expect.stringContaining(String(status)),
        state: 'failed',
        retryAfterSeconds: null,
        webhookStatus: null,
      });
    },
  );

  it('disables the webhook on 410', () => {
    expect(evaluate(exchange(410), 0, SCHEDULE)).toMatchObject({ state: 'failed', webhookStatus: 'disabled' });
  });

  it.each([500, 502, 503, 599, null])('retries %s on schedule: five times, then the webhook fails', (status) => {
    const verdicts = [0, 1, 2, 3, 4, 5].map((retries) => evaluate(exchange(status), retries, SCHEDULE));
    expect(verdicts.map(({ retryAfterSeconds }) => retryAfterSeconds)).toEqual([...SCHEDULE, null]);
    expect(verdicts.map(({ state }) => state)).toEqual([...Array(5).fill('pending'), 'failed']);
    expect(verdicts.map(({ webhookStatus }) => webhookStatus)).toEqual([...Array(5).fill(null), 'failed']);
  });
});
