import { Skeleton, Stack } from '@mantine/core';
import { TrashIcon } from '@radix-ui/react-icons';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useGateway } from '../../api/gateway';
import { queries } from '../../api/queries';
import { EmptyState } from '../../components/feedback/empty-state';
import { FaultAlert } from '../../components/feedback/fault-alert';
import { nameOf } from '../../components/people/person-name';
import { usePageTitle } from '../../components/hooks/use-page-title';
import { inViewersZone } from '../../format/time';
import { useMay } from '../../session/use-session';
import { ChatHeader } from './chat-header';
import { Composer } from './compose/composer';
import { HandoverBar } from './handover/handover-bar';
import { TakeOverForm } from './handover/take-over-form';
import { readMarks } from './list/read-marks';
import { MergedBar } from './merged-bar';
import { UnansweredBar } from './handover/unanswered-bar';
import { MessageHistory } from './message-history';

/** Polling interval while the gateway tries to answer again, in milliseconds. */
const RETRIES_MS = 5_000;

/** One conversation. */
export function Chat({ id }: { id: string }) {
  const gateway = useGateway();
  const mayRead = useMay('read:messages');
  const isAllowed = useMay('write:messages');
  const conversation = useQuery({
    ...queries.conversation(gateway, id),
    // No event says when the next try is.
    refetchInterval: ({ state }) => (state.data?.last_error?.next_try_at ? RETRIES_MS : false),
  });
  const messages = useInfiniteQuery({ ...queries.messages(gateway, id), enabled: mayRead });
  const [sent, setSent] = useState(0);
  const [takingOver, setTakingOver] = useState(false);
  usePageTitle(conversation.data ? nameOf(conversation.data.participant) : 'Conversation');

  const newestAt = conversation.data?.last_message_at;
  useEffect(() => {
    if (newestAt) readMarks.mark(id, newestAt);
  }, [id, newestAt]);

  const error = conversation.error ?? messages.error;
  if (error) {
    return (
      <Stack p="lg">
        <FaultAlert
          error={error}
          onRetry={() => void Promise.all([conversation.refetch(), mayRead && messages.refetch()])}
        />
      </Stack>
    );
  }
  if (!conversation.data) {
    return (
      <Stack p="lg">
        <Skeleton height={40} />
        <Skeleton height={200} />
      </Stack>
    );
  }
  // An erased or merged conversation allows no actions.
  const { erased_at: erasedAt, merged_into: target } = conversation.data;
  const mayWrite = isAllowed && erasedAt === null && target === null;
  return (
    <>
      <ChatHeader conversation={conversation.data} mayWrite={mayWrite} onTakeOver={() => setTakingOver(true)} />
      <MergedBar conversation={conversation.data} />
      <HandoverBar conversation={conversation.data} mayWrite={mayWrite} onTakeOver={() => setTakingOver(true)} />
      {erasedAt === null ? (
        <MessageHistory
          conversation={conversation.data}
          messages={messages}
          mayRead={mayRead}
          mayWrite={mayWrite}
          sent={sent}
        />
      ) : (
        <EmptyState icon={<TrashIcon />} title="This conversation was erased">
          {`Its texts, its files and the name were removed on ${inViewersZone(erasedAt, 'full')}.`}
        </EmptyState>
      )}
      <UnansweredBar conversation={conversation.data} mayWrite={mayWrite} onTakeOver={() => setTakingOver(true)} />
      {mayWrite && <Composer conversation={conversation.data} onSent={() => setSent((count) => count + 1)} />}
      {takingOver && <TakeOverForm conversation={conversation.data} onClose={() => setTakingOver(false)} />}
    </>
  );
}
