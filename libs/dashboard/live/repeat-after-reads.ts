import type { QueryClient } from '@tanstack/react-query';
import { isMessageEvent, showInChat } from './apply-message-event';
import type { LiveEvents } from './live-events';
import type { MessageEvent } from './messages/shown-message';

/**
 * A response in flight may be older than an event that arrives meanwhile, and would overwrite the event's change. So this
 * applies such events again after the response.
 */
export function repeatAfterReads(client: QueryClient, events: LiveEvents): () => void {
  const meanwhile = new Map<string, MessageEvent[]>();
  const stopEvents = events.subscribe((event) => {
    if (isMessageEvent(event)) for (const held of meanwhile.values()) held.push(event);
  });
  const stopReads = client.getQueryCache().subscribe((change) => {
    if (change.type !== 'updated' || change.query.queryKey[0] !== 'messages') return;
    const { queryHash } = change.query;
    if (change.action.type === 'fetch') meanwhile.set(queryHash, []);
    // The read has ended: success, error or abort. `setQueryData` of an event does not end it.
    else if (change.query.state.fetchStatus === 'idle') {
      const held = meanwhile.get(queryHash) ?? [];
      meanwhile.delete(queryHash);
      for (const event of held) showInChat(client, event);
    }
  });
  return () => {
    stopEvents();
    stopReads();
  };
}
