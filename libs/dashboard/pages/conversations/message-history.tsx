import { Button, Loader, Text } from '@mantine/core';
import { ArrowDownIcon } from '@radix-ui/react-icons';
import { useQuery } from '@tanstack/react-query';
import { Fragment } from 'react';
import type { Conversation } from '#client';
import { useGateway } from '../../api/gateway';
import { queries } from '../../api/queries';
import { inViewersZone } from '../../format/time';
import type { ShownMessage } from '../../live/messages/shown-message';
import classes from './chat.module.css';
import { handoverLines, linesBetween, type HandoverLine } from './handover/handover-lines';
import { writtenBy } from './handover/written-by';
import { MessageBubble } from './message-bubble';
import { useScroll } from './message/use-scroll';

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
  mayWrite: boolean;
  /** Number of messages sent from this page. A new one scrolls to the end. */
  sent: number;
}

/** The messages by day, oldest first. A button loads earlier ones. Stays at the newest while the reader is at the end. */
export function MessageHistory({ conversation, messages, mayRead, mayWrite, sent }: MessageHistoryProps) {
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage } = messages;
  const shown = data?.pages.flatMap((page) => page.data).toReversed() ?? [];
  const gateway = useGateway();
  const handovers = useQuery({ ...queries.handovers(gateway, conversation.id), enabled: mayRead });
  const lines = handoverLines(handovers.data ?? []);
  const { scroller, onScroll, hasNew, toEnd } = useScroll({
    conversationId: conversation.id,
    newest: shown.at(-1)?.id,
    sent,
  });

  if (!mayRead) {
    return (
      <div className={classes.history} ref={scroller}>
        <Text c="dimmed" size="sm" ta="center">
          Reading messages requires the scope read:messages.
        </Text>
      </div>
    );
  }
  const { participant, merged_into: target } = conversation;
  const isGroup = target === null && shown.some(({ sender }) => sender && sender.id !== chatOf(participant.id));
  const watermarkAfter = forgotten(shown, conversation.cleared_at);
  return (
    <div className={classes.place}>
      <div className={classes.history} ref={scroller} role="log" aria-label="Messages" tabIndex={0} onScroll={onScroll}>
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
            {(index > 0 || !hasNextPage) && (
              <Lines lines={linesBetween(lines, shown[index - 1]?.created_at, message.created_at)} />
            )}
            <MessageBubble
              message={message}
              recipient={(mayWrite && conversation.participant.id) || undefined}
              author={isGroup ? message.sender : null}
              colleague={writtenBy(message, handovers.data ?? [])}
            />
            {watermarkAfter === index + 1 && (
              <div className={classes.watermark}>The assistant remembers the messages below</div>
            )}
          </Fragment>
        ))}
        {data && <Lines lines={linesBetween(lines, shown.at(-1)?.created_at, undefined)} />}
      </div>
      {hasNew && (
        <Button className={classes.below} size="compact-sm" radius="xl" leftSection={<ArrowDownIcon />} onClick={toEnd}>
          New messages below
        </Button>
      )}
    </div>
  );
}

/** Lines that only colleagues see. */
function Lines({ lines }: { lines: readonly HandoverLine[] }) {
  return lines.map(({ at, text }) => (
    <p key={`${at} ${text}`} className={classes.private} dir="auto">
      {text} {inViewersZone(at, 'clock')}
    </p>
  ));
}

/** The chat of a topic, or the participant itself. */
function chatOf(id: string | null): string | undefined {
  return id?.split('/')[0];
}

/** Number of messages that the assistant no longer sees. */
function forgotten(messages: readonly ShownMessage[], clearedAt: string | null | undefined): number {
  return clearedAt ? messages.filter(({ created_at }) => created_at <= clearedAt).length : 0;
}

function isNewDay({ created_at }: ShownMessage, before: ShownMessage | undefined): boolean {
  return !before || new Date(created_at).toDateString() !== new Date(before.created_at).toDateString();
}
