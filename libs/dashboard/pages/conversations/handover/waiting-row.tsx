import type { ConversationItem } from '#client';
import { useNow } from '../../../format/use-now';
import { REASONS } from '../../../live/handover/handover-reasons';
import { ConversationLink } from '../list/conversation-link';
import classes from '../list/conversation-list.module.css';
import { durationSince } from '../../../format/time';

/** A conversation in the queue, with the duration of and the reason for its wait. */
export function WaitingRow({ conversation }: { conversation: ConversationItem }) {
  const { handover, last_message_at } = conversation;
  const now = useNow();
  return (
    <ConversationLink
      conversation={conversation}
      time={`waiting for ${durationSince(handover?.requested_at ?? last_message_at, now)}`}
    >
      {handover?.reason && <span className={classes.reason}>{REASONS[handover.reason]}</span>}
      {handover?.summary && (
        <span className={classes.summary} dir="auto">
          {handover.summary}
        </span>
      )}
    </ConversationLink>
  );
}
