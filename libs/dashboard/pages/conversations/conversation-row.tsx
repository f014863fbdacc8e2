import { Link } from '@tanstack/react-router';
import type { ConversationItem } from '#client';
import { Avatar } from '../../components/people/avatar';
import { nameOf } from '../../components/people/person-name';
import { Time } from '../../components/time';
import { counted } from '../../format/number';
import classes from './conversation-list.module.css';

export function ConversationRow({ conversation }: { conversation: ConversationItem }) {
  const { id, participant, message_count, last_message_at } = conversation;
  return (
    <Link
      to="/conversations/$conversationId"
      params={{ conversationId: id }}
      search={true}
      className={classes.row}
      activeProps={{ 'data-active': true }}
      activeOptions={{ includeSearch: false }}
    >
      <Avatar conversation={conversation} />
      <span className={classes.text}>
        <span className={classes.line}>
          <span className={classes.name} dir="auto">
            {nameOf(participant)}
          </span>
          <span className={classes.meta}>
            <Time value={last_message_at} form="relative" />
          </span>
        </span>
        <span className={classes.meta}>
          {participant.username && participant.name ? `@${participant.username} · ` : ''}
          {counted(message_count, 'message')}
        </span>
      </span>
    </Link>
  );
}
