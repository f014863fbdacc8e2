import type { ConversationItem } from '#client';
import { Time } from '../../../components/time';
import { counted } from '../../../format/number';
import classes from './conversation-list.module.css';
import { ConversationLink } from './conversation-link';

const HANDLINGS: Readonly<Record<ConversationItem['handling'], string>> = {
  assistant: '',
  requested: ' · waits for a person',
  human: ' · with a person',
};

export function ConversationRow({ conversation }: { conversation: ConversationItem }) {
  const { participant, message_count, last_message_at, handling } = conversation;
  return (
    <ConversationLink conversation={conversation} time={<Time value={last_message_at} form="relative" />}>
      <span className={classes.meta}>
        {participant.username && participant.name ? `@${participant.username} · ` : ''}
        {counted(message_count, 'message')}
        {HANDLINGS[handling]}
      </span>
    </ConversationLink>
  );
}
