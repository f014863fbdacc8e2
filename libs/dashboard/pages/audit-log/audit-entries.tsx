import { Button, Group, Skeleton, Text } from '@mantine/core';
import { ReaderIcon, ReloadIcon } from '@radix-ui/react-icons';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { AuditLogListParams } from '#client';
import { useGateway } from '../../api/gateway';
import { queries } from '../../api/queries';
import { EmptyState } from '../../components/feedback/empty-state';
import { FaultAlert } from '../../components/feedback/fault-alert';
import { VirtualRows } from '../../components/virtual-rows';
import { counted } from '../../format/number';
import { AuditRow } from './audit-row';
import { useKeyNames } from './use-key-names';

const ROW_HEIGHT = 57;

export function AuditEntries({ query }: { query: AuditLogListParams }) {
  const log = useInfiniteQuery(queries.auditLog(useGateway(), query));
  const names = useKeyNames();
  const items = useMemo(() => log.data?.pages.flatMap(({ data }) => data) ?? [], [log.data]);
  const [opened, setOpened] = useState<string>();
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
          No entry matches the filters. Reads (GET) are shown only when you switch them on.
        </EmptyState>
      ) : (
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
          {(entry) => (
            <AuditRow
              entry={entry}
              names={names}
              opened={entry.id === opened}
              onToggle={() => setOpened(entry.id === opened ? undefined : entry.id)}
            />
          )}
        </VirtualRows>
      )}
    </div>
  );
}
