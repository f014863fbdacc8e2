import type { ConversationItem } from '#client';
import { longestWaitFirst } from './longest-wait';

const waiting = (id: string, requested_at: string | null, handling = 'requested') =>
  ({ id, handling, handover: { requested_at }, last_message_at: '2026-11-25T12:00:00.000Z' }) as ConversationItem;

describe(longestWaitFirst.name, () => {
  it('sorts by the time of the request and leaves out conversations that were taken over', () => {
    const list = [
      waiting('late', '2026-11-25T11:00:00.000Z'),
      waiting('unknown', null),
      waiting('taken', '2026-11-25T08:00:00.000Z', 'human'),
      waiting('early', '2026-11-25T09:00:00.000Z'),
    ];
    expect(longestWaitFirst(list).map(({ id }) => id)).toEqual(['early', 'late', 'unknown']);
  });
});
