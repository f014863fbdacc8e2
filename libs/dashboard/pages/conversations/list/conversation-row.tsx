import { VisuallyHidden } from '@mantine/core';
import { useSyncExternalStore } from 'react';
import type { ConversationItem } from '#client';
import { Time } from '../../../components/time';
import { counted } from '../../../format/number';
import { ConversationLink } from './conversation-link';
import classes from './conversation-list.module.css';
import { isUnread, readMarks } from './read-marks';

const HANDLINGS: Readonly<Record<ConversationItem['handling'], string>> = {
  assistant: '',
  requested: 'Waits for a person',
  human: 'With a person',
};

export function ConversationRow({ conversation }: { conversation: ConversationItem }) {
  const { message_count, last_message, last_message_at, handling } = conversation;
  const unread = isUnread(useSyncExternalStore(readMarks.subscribe, readMarks.get), conversation);
  return (
    <ConversationLink conversation={conversation} time={<Time value={last_message_at} form="relative" />}>
      <span className={classes.line} data-unread={unread || undefined}>
        <span className={classes.preview} dir="auto">
          {last_message ? previewOf(last_message) : counted(message_count, 'message')}
        </span>
        {handling !== 'assistant' && (
          <span className={classes.handling} data-waiting={handling === 'requested' || undefined}>
            {HANDLINGS[handling]}
          </span>
        )}
        {unread && (
          <span className={classes.unread}>
            <VisuallyHidden>Unread</VisuallyHidden>
          </span>
        )}
      </span>
    </ConversationLink>
  );
}

function previewOf({ direction, status, content }: NonNullable<ConversationItem['last_message']>): string {
  if (direction === 'inbound') return content;
  return `${status === 'failed' ? 'Failed' : 'You'}: ${content}`;
}
