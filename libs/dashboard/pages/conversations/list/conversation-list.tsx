import { Skeleton, Stack } from '@mantine/core';
import { ChatBubbleIcon } from '@radix-ui/react-icons';
import { useSearch } from '@tanstack/react-router';
import { EmptyState } from '../../../components/feedback/empty-state';
import { FaultAlert } from '../../../components/feedback/fault-alert';
import { VirtualRows } from '../../../components/virtual-rows';
import { WaitingRow } from '../handover/waiting-row';
import { ConversationRow } from './conversation-row';
import { FoundMessages } from './found-messages';
import { ListFilters } from './list-filters';
import type { ConversationSearch } from './list-view';
import { useListed } from './use-listed';

const ROW_HEIGHT = 69;
const WAITING_ROW_HEIGHT = 104;

export function ConversationList() {
  const search: ConversationSearch = useSearch({ strict: false });
  const isQueue = search.show === 'waiting';
  const { items, total, error, hasMore, onMore, refetch } = useListed(search);
  return (
    <>
      <ListFilters total={total} />
      {search.q && <FoundMessages q={search.q} />}
      {error ? (
        <Stack p="md">
          <FaultAlert error={error} onRetry={() => void refetch()} />
        </Stack>
      ) : !items ? (
        <Stack p="md" gap="sm">
          {Array.from({ length: 6 }, (_, index) => (
            <Skeleton key={index} height={48} />
          ))}
        </Stack>
      ) : items.length === 0 ? (
        <Nothing search={search} />
      ) : (
        <VirtualRows
          // A new key scrolls to the top when the view changes.
          key={search.show}
          label="Conversations"
          items={items}
          rowHeight={isQueue ? WAITING_ROW_HEIGHT : ROW_HEIGHT}
          height="100%"
          hasMore={hasMore}
          onMore={onMore}
        >
          {(conversation) =>
            isQueue ? <WaitingRow conversation={conversation} /> : <ConversationRow conversation={conversation} />
          }
        </VirtualRows>
      )}
    </>
  );
}

/** View → the title of its empty list, and when a conversation appears there. */
const EMPTY: Readonly<Record<string, readonly [title: string, when: string]>> = {
  waiting: ['No waiting conversations', 'the gateway asks for a person'],
  unanswered: ['No unanswered conversations', 'the assistant fails to answer'],
  mine: ['You have no conversations', 'you take it over'],
};

function Nothing({ search }: { search: ConversationSearch }) {
  const [title, when] = EMPTY[search.show ?? ''] ?? ['No conversations'];
  return (
    <EmptyState icon={<ChatBubbleIcon />} title={title}>
      {when
        ? `A conversation appears here when ${when}.`
        : Object.keys(search).length > 0
          ? 'No conversation matches the search and the filters.'
          : 'A conversation begins when a person writes on a connected platform. The playground plays one with a test key.'}
    </EmptyState>
  );
}
