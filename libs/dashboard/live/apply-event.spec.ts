import { QueryClient } from '@tanstack/react-query';
import { applyEvent } from './apply-event';
import type { LiveEvent } from './live-event';

const failed = (number: number) =>
  ({
    id: `evt_${number}`,
    type: 'message.failed',
    created_at: '2026-07-01T12:00:00.000Z',
    data: {
      message_id: `msg_${number}`,
      conversation_id: 'conv_1',
      platform: 'telegram',
      error: { code: 'recipient_unreachable', message: 'No.' },
    },
  }) as unknown as LiveEvent;

/** How often the list of failures was invalidated. */
function failuresRead(invalidate: jest.SpyInstance): number {
  return invalidate.mock.calls.filter(([filters]) => filters.queryKey[0] === 'failures').length;
}

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

describe(applyEvent.name, () => {
  it('refetches failed messages soon after a failure, once for many failures', () => {
    const client = new QueryClient();
    const invalidate = jest.spyOn(client, 'invalidateQueries');
    for (let number = 1; number <= 50; number++) applyEvent(client, failed(number));
    expect(failuresRead(invalidate)).toBe(0);
    jest.advanceTimersByTime(3_000);
    expect(failuresRead(invalidate)).toBe(1);
    applyEvent(client, failed(51));
    jest.advanceTimersByTime(3_000);
    expect(failuresRead(invalidate)).toBe(2);
  });
});
