import { VisuallyHidden } from '@mantine/core';
import { useSyncExternalStore } from 'react';
import type { ConversationItem } from '#client';
import { Time } from '../../../components/time';
import { counted } from '../../../format/number';
import { ConversationLink } from './conversation-link';
import classes from './conversation-list.module.css';
import { Labels } from './labels';
import { withoutMarkup } from '../message/parse-markup';
import { isUnread, readMarks } from './read-marks';

const HANDLINGS: Readonly<Record<ConversationItem['handling'], string>> = {
  assistant: '',
  requested: 'Waits for a person',
  human: 'With a person',
};

/** Labels that a row has room for. */
const SHOWN_LABELS = 2;

export function ConversationRow({ conversation }: { conversation: ConversationItem }) {
  const { message_count, last_message, last_message_at, next_send_at, handling } = conversation;
  const unread = isUnread(useSyncExternalStore(readMarks.subscribe, readMarks.get), conversation);
  return (
    <ConversationLink conversation={conversation} time={<Time value={last_message_at} form="relative" />}>
      <span className={classes.line} data-unread={unread || undefined}>
        <span className={classes.preview} dir="auto">
          {last_message ? previewOf(conversation) : counted(message_count, 'message')}
        </span>
        {next_send_at && (
          <span className={classes.handling}>
            Scheduled for <Time value={next_send_at} form={isWithinADay(next_send_at) ? 'clock' : 'short'} />
          </span>
        )}
        <Labels labels={conversation.labels.slice(0, SHOWN_LABELS)} />
        {conversation.last_error && (
          <span className={classes.handling} data-waiting>
            No answer
          </span>
        )}
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

const DAY_MS = 86_400_000;
const isWithinADay = (at: string) => Date.parse(at) - Date.now() < DAY_MS;

/** The person's words; a message that failed is shown in their place. */
function previewOf({ platform, last_message, last_inbound }: ConversationItem): string {
  const { status, content } = last_message!;
  if (status === 'failed') return `Failed: ${withoutMarkup(content, 'markdown')}`;
  return last_inbound
    ? withoutMarkup(last_inbound.content, platform === 'whatsapp' ? 'whatsapp' : 'markdown')
    : withoutMarkup(content, 'markdown');
}
