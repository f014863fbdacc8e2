import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { ConversationItem } from '#client';
import { Avatar } from '../../../components/people/avatar';
import { kindOf, nameOf } from '../../../components/people/person-name';
import { useAccountName } from '../../../components/people/use-account-name';
import classes from './conversation-list.module.css';

interface ConversationLinkProps {
  conversation: ConversationItem;
  /** Shown beside the name. */
  time: ReactNode;
  children: ReactNode;
}

/** A row of the list. */
export function ConversationLink({ conversation, time, children }: ConversationLinkProps) {
  const kind = kindOf(conversation);
  const account = useAccountName(conversation);
  return (
    <Link
      to="/conversations/$conversationId"
      params={{ conversationId: conversation.id }}
      search={true}
      className={classes.row}
      activeProps={{ 'data-active': true }}
      activeOptions={{ includeSearch: false }}
    >
      <Avatar conversation={conversation} />
      <span className={classes.text}>
        <span className={classes.line}>
          <span className={classes.name} dir="auto">
            {nameOf(conversation.participant)}
          </span>
          <span className={classes.meta}>
            {account && (
              <span className={classes.kind} dir="auto">
                {account}
              </span>
            )}
            {kind && <span className={classes.kind}>{kind}</span>}
            {time}
          </span>
        </span>
        {children}
      </span>
    </Link>
  );
}
