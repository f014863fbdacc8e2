import { Group, Select, Skeleton, Stack, TextInput, Title } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { ChatBubbleIcon, MagnifyingGlassIcon } from '@radix-ui/react-icons';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import type { ConversationQuery } from '#client';
import { useGateway } from '../../api/gateway';
import { queries } from '../../api/queries';
import { EmptyState } from '../../components/feedback/empty-state';
import { FaultAlert } from '../../components/feedback/fault-alert';
import { PLATFORM_OPTIONS } from '../../components/people/platform';
import { useSearchFilter, withoutEmpty } from '../../components/use-search-filter';
import { VirtualRows } from '../../components/virtual-rows';
import { count } from '../../format/number';
import { ConversationRow } from './conversation-row';
import classes from './conversation-list.module.css';

const ROW_HEIGHT = 69;
const TYPING_MS = 300;
const LONGEST_SEARCH = 100;

export interface ConversationSearch {
  q?: string;
  platform?: string;
  status?: string;
}

export function ConversationList() {
  const search: ConversationSearch = useSearch({ strict: false });
  const [typed, setTyped] = useState(search.q ?? '');
  const filter = useSearchFilter();
  const searchFor = useDebouncedCallback((q: string) => filter({ q: q.trim() }), TYPING_MS);
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(
    queries.conversations(useGateway(), withoutEmpty(search) as ConversationQuery),
  );
  const items = useMemo(() => data?.pages.flatMap((page) => page.data) ?? [], [data]);
  const total = data?.pages[0]?.pagination.total;
  return (
    <>
      <div className={classes.head}>
        <Group justify="space-between" mb={10}>
          <Title order={1} size="h4">
            Conversations
          </Title>
          <span className={`numeric ${classes.total}`}>{total !== undefined && count(total)}</span>
        </Group>
        <TextInput
          type="search"
          aria-label="Search conversations"
          placeholder="Name, username or id"
          leftSection={<MagnifyingGlassIcon />}
          maxLength={LONGEST_SEARCH}
          value={typed}
          onChange={({ currentTarget: { value } }) => {
            setTyped(value);
            searchFor(value);
          }}
        />
        <Group gap="xs" mt="xs" grow>
          <Select
            aria-label="Platform"
            placeholder="All platforms"
            clearable
            data={PLATFORM_OPTIONS}
            value={search.platform ?? null}
            onChange={(platform) => filter({ platform: platform ?? '' })}
            clearButtonProps={{ 'aria-label': 'All platforms' }}
          />
          <Select
            aria-label="Status"
            placeholder="All statuses"
            clearable
            data={[
              { value: 'active', label: 'Active' },
              { value: 'archived', label: 'Archived' },
            ]}
            value={search.status ?? null}
            onChange={(status) => filter({ status: status ?? '' })}
            clearButtonProps={{ 'aria-label': 'All statuses' }}
          />
        </Group>
      </div>
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
        <EmptyState icon={<ChatBubbleIcon />} title="No conversations">
          {Object.keys(search).length > 0
            ? 'None matches the search and the filters.'
            : 'A conversation begins when a person writes on a connected platform. The playground plays one with a test key.'}
        </EmptyState>
      ) : (
        <VirtualRows
          label="Conversations"
          items={items}
          rowHeight={ROW_HEIGHT}
          height="100%"
          hasMore={hasNextPage}
          onMore={() => {
            if (!isFetchingNextPage) void fetchNextPage();
          }}
        >
          {(conversation) => <ConversationRow conversation={conversation} />}
        </VirtualRows>
      )}
    </>
  );
}
