import { Button, Group, Select, Skeleton, Text, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { MagnifyingGlassIcon, ReaderIcon, ReloadIcon } from '@radix-ui/react-icons';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import type { AuditQuery } from '#client';
import { useGateway } from '../../api/gateway';
import { queries } from '../../api/queries';
import { EmptyState } from '../../components/feedback/empty-state';
import { FaultAlert } from '../../components/feedback/fault-alert';
import { PageHeader } from '../../components/page-header';
import { useSearchFilter } from '../../components/use-search-filter';
import { VirtualRows } from '../../components/virtual-rows';
import { counted } from '../../format/number';
import { RequireScope } from '../../session/require-scope';
import { AuditRow, AuditHead } from './audit-row';

interface AuditSearch {
  path?: string;
  status?: string;
  start_date?: string;
  end_date?: string;
}

const STATUSES = ['200', '201', '400', '401', '403', '404', '429', '500'];
const TYPING_MS = 400;
const ROW_HEIGHT = 49;

export default function AuditLog() {
  const search: AuditSearch = useSearch({ strict: false });
  const [path, setPath] = useState(search.path ?? '');
  const filter = useSearchFilter();
  const filterByPath = useDebouncedCallback((value: string) => filter({ path: value.trim() }), TYPING_MS);
  const query: AuditQuery = { ...search, status: search.status ? Number(search.status) : undefined };
  return (
    <>
      <PageHeader
        title="Audit log"
        description="Every request to the API, refused ones too: who called what, and how it was answered."
      />
      <RequireScope anyOf={['admin:settings']}>
        <Group gap="xs" mb="md" align="flex-end">
          <TextInput
            type="search"
            label="Route or path"
            placeholder="/api/v1/messages"
            leftSection={<MagnifyingGlassIcon />}
            flex={1}
            miw={200}
            value={path}
            onChange={({ currentTarget: { value } }) => {
              setPath(value);
              filterByPath(value);
            }}
          />
          <Select
            label="Status"
            placeholder="All"
            clearable
            w={110}
            data={STATUSES}
            value={search.status ?? null}
            onChange={(status) => filter({ status: status ?? '' })}
            clearButtonProps={{ 'aria-label': 'All statuses' }}
          />
          <TextInput
            type="date"
            label="From (UTC)"
            value={search.start_date ?? ''}
            onChange={({ currentTarget }) => filter({ start_date: currentTarget.value })}
          />
          <TextInput
            type="date"
            label="To (UTC)"
            value={search.end_date ?? ''}
            onChange={({ currentTarget }) => filter({ end_date: currentTarget.value })}
          />
        </Group>
        <Entries query={query} />
      </RequireScope>
    </>
  );
}

function Entries({ query }: { query: AuditQuery }) {
  const log = useInfiniteQuery(queries.auditLog(useGateway(), query));
  const items = useMemo(() => log.data?.pages.flatMap(({ data }) => data) ?? [], [log.data]);
  if (log.error) return <FaultAlert error={log.error} onRetry={() => void log.refetch()} />;
  if (!log.data) return <Skeleton height={320} radius="lg" />;
  return (
    <div className="card">
      <Group justify="space-between" p="sm" pl={20}>
        <Text size="sm" c="dimmed" className="numeric" role="status">
          {counted(log.data.pages[0]!.pagination.total, 'request')}
        </Text>
        <Button
          variant="default"
          size="xs"
          leftSection={<ReloadIcon />}
          loading={log.isRefetching}
          onClick={() => void log.refetch()}
        >
          Refresh
        </Button>
      </Group>
      {items.length === 0 ? (
        <EmptyState icon={<ReaderIcon />} title="No requests">
          None matches the filters.
        </EmptyState>
      ) : (
        <>
          <AuditHead />
          <VirtualRows
            label="Requests"
            items={items}
            rowHeight={ROW_HEIGHT}
            height="min(64dvh, 720px)"
            hasMore={log.hasNextPage}
            onMore={() => {
              if (!log.isFetchingNextPage) void log.fetchNextPage();
            }}
          >
            {(entry) => <AuditRow entry={entry} />}
          </VirtualRows>
        </>
      )}
    </div>
  );
}
