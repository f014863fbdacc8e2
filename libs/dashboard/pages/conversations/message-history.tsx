import { Button, Loader, Text } from '@mantine/core';
import { Fragment, useLayoutEffect, useRef } from 'react';
import type { Conversation } from '#client';
import { inViewersZone } from '../../format/time';
import type { ShownMessage } from '../../live/apply-message-event';
import classes from './chat.module.css';
import { MessageBubble } from './message-bubble';

interface Pages {
  data: { pages: readonly { data: readonly ShownMessage[] }[] } | undefined;
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  fetchNextPage: () => unknown;
}

interface MessageHistoryProps {
  conversation: Conversation;
  messages: Pages;
  mayRead: boolean;
}

const NEAR_END_PX = 120;

/** The messages by day, oldest first; earlier ones are read when wanted. It stays at the newest while a person is there. */
export function MessageHistory({ conversation, messages, mayRead }: MessageHistoryProps) {
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage } = messages;
  const scroller = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  const shown = data?.pages.flatMap((page) => page.data).toReversed() ?? [];
  const newest = shown.at(-1)?.id;

  useLayoutEffect(() => {
    const element = scroller.current!;
    if (isAtEnd.current) element.scrollTop = element.scrollHeight;
  }, [newest]);

  if (!mayRead) {
    return (
      <div className={classes.history} ref={scroller}>
        <Text c="dimmed" size="sm" ta="center">
          Reading messages needs the scope read:messages.
        </Text>
      </div>
    );
  }
  const watermarkAfter = forgotten(shown, conversation.cleared_at);
  return (
    <div
      className={classes.history}
      ref={scroller}
      role="log"
      aria-label="Messages"
      tabIndex={0}
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        isAtEnd.current = scrollHeight - scrollTop - clientHeight < NEAR_END_PX;
      }}
    >
      {!data && <Loader mx="auto" />}
      {hasNextPage && (
        <Button
          variant="subtle"
          size="compact-sm"
          mx="auto"
          loading={isFetchingNextPage}
          onClick={() => void fetchNextPage()}
        >
          Earlier messages
        </Button>
      )}
      {shown.map((message, index) => (
        <Fragment key={message.id}>
          {isNewDay(message, shown[index - 1]) && (
            <div className={classes.day}>{inViewersZone(message.created_at, 'day')}</div>
          )}
          <MessageBubble message={message} />
          {watermarkAfter === index + 1 && (
            <div className={classes.watermark}>The assistant remembers what comes below</div>
          )}
        </Fragment>
      ))}
    </div>
  );
}

/** How many of the messages the assistant no longer sees. */
function forgotten(messages: readonly ShownMessage[], clearedAt: string | null | undefined): number {
  return clearedAt ? messages.filter(({ created_at }) => created_at <= clearedAt).length : 0;
}

function isNewDay({ created_at }: ShownMessage, before: ShownMessage | undefined): boolean {
  return !before || new Date(created_at).toDateString() !== new Date(before.created_at).toDateString();
}
