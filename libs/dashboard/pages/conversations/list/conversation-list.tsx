import { Skeleton, Stack } from '@mantine/core';
import { ChatBubbleIcon } from '@radix-ui/react-icons';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useGateway } from '../../../api/gateway';
import { queries } from '../../../api/queries';
import { EmptyState } from '../../../components/feedback/empty-state';
import { FaultAlert } from '../../../components/feedback/fault-alert';
import { VirtualRows } from '../../../components/virtual-rows';
import { ConversationRow } from './conversation-row';
import { longestWaitFirst } from '../handover/longest-wait';
import { WaitingRow } from '../handover/waiting-row';
import { ListFilters } from './list-filters';
import { queryOf, type ConversationSearch } from './list-view';

const ROW_HEIGHT = 69;
const WAITING_ROW_HEIGHT = 104;

export function ConversationList() {
  const search: ConversationSearch = useSearch({ strict: false });
  const isQueue = search.show === 'waiting';
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(
    queries.conversations(useGateway(), queryOf(search)),
  );
  const items = useMemo(() => {
    const all = data?.pages.flatMap((page) => page.data) ?? [];
    return isQueue ? longestWaitFirst(all) : all;
  }, [data, isQueue]);
  return (
    <>
      <ListFilters total={data?.pages[0]?.pagination.total} />
      {error ? (
        <Stack p="md">
          <FaultAlert error={error} onRetry={() => void refetch()} />
        </Stack>
      ) : !data ? (
        <Stack p="md" gap="sm">
          {Array.from({ length: 6 }, (_, index) => (
            <Skeleton key={index} height={48} />
          ))}
        </Stack>
      ) : items.length === 0 ? (
        <EmptyState icon={<ChatBubbleIcon />} title={isQueue ? 'Nobody waits' : 'No conversations'}>
          {isQueue
            ? 'A conversation appears here when the gateway asks for a person.'
            : Object.keys(search).length > 0
              ? 'None matches the search and the filters.'
              : 'A conversation begins when a person writes on a connected platform. The playground plays one with a test key.'}
        </EmptyState>
      ) : (
        <VirtualRows
          label="Conversations"
          items={items}
          rowHeight={isQueue ? WAITING_ROW_HEIGHT : ROW_HEIGHT}
          height="100%"
          hasMore={hasNextPage}
          onMore={() => {
            if (!isFetchingNextPage) void fetchNextPage();
          }}
        >
          {(conversation) =>
            isQueue ? <WaitingRow conversation={conversation} /> : <ConversationRow conversation={conversation} />
          }
        </VirtualRows>
      )}
    </>
  );
}
