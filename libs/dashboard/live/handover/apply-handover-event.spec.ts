import { QueryClient } from '@tanstack/react-query';
import type { Conversation } from '#client';
import { applyHandoverEvent, type HandoverEvent } from './apply-handover-event';

const event = (type: HandoverEvent['type']) =>
  ({
    id: 'evt_1',
    type,
    created_at: '2026-11-25T12:00:00.000Z',
    data: {
      conversation_id: 'conv_1',
      reason: 'phrase',
      summary: 'Ada asks for a person.',
      assignee: type === 'conversation.handover_requested' ? null : 'Grace',
      at: '2026-11-25T12:00:00.000Z',
    },
  }) as unknown as HandoverEvent;

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

describe(applyHandoverEvent.name, () => {
  it('updates the open conversation, the list and the counts after a request, a takeover and a resumption', () => {
    const client = new QueryClient();
    const invalidate = jest.spyOn(client, 'invalidateQueries');
    const conversation = { id: 'conv_1', handling: 'assistant', handover: null, ai_paused: false } as Conversation;
    client.setQueryData(['conversation', 'conv_1'], conversation);
    client.setQueryData(['conversations', {}], { pages: [{ data: [conversation] }], pageParams: [1] });
    const shown = () => client.getQueryData<Conversation>(['conversation', 'conv_1'])!;
    const listed = () =>
      client.getQueryData<{ pages: { data: Conversation[] }[] }>(['conversations', {}])!.pages[0]!.data[0]!;

    applyHandoverEvent(client, event('conversation.handover_requested'));
    expect(shown()).toMatchObject({ handling: 'requested', ai_paused: true, handover: { reason: 'phrase' } });
    expect(listed().handling).toBe('requested');

    applyHandoverEvent(client, event('conversation.handover_taken'));
    expect(shown()).toMatchObject({ handling: 'human', ai_paused: true });
    expect(shown().handover).toMatchObject({
      assignee: 'Grace',
      requested_at: '2026-11-25T12:00:00.000Z',
      taken_at: '2026-11-25T12:00:00.000Z',
    });

    applyHandoverEvent(client, event('conversation.resumed'));
    expect(shown()).toMatchObject({ handling: 'assistant', ai_paused: false, handover: null });
    expect(listed().handover).toBeNull();

    jest.advanceTimersByTime(3_000);
    expect(invalidate.mock.calls.map(([filters]) => filters?.queryKey)).toContainEqual(['waiting']);
  });
});
