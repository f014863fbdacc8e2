import type { PastHandover } from '#client';
import type { ShownMessage } from '../../../live/messages/shown-message';

/** Which person wrote an outbound message, as far as the gateway knows; undefined for the assistant and for people outside. */
export function writtenBy(
  { direction, sent_by, created_at }: Pick<ShownMessage, 'direction' | 'sent_by' | 'created_at'>,
  handovers: readonly PastHandover[],
): string | undefined {
  if (direction !== 'outbound' || sent_by === 'assistant') return undefined;
  const holder = handovers.find(
    ({ taken_at, resumed_at }) => taken_at && taken_at <= created_at && (!resumed_at || created_at < resumed_at),
  );
  if (holder?.assignee) return holder.assignee;
  return sent_by === 'phone' ? 'A colleague on the phone' : undefined;
}
