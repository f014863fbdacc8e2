import { Button, Group } from '@mantine/core';

export interface PagedQuery {
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  fetchNextPage: () => unknown;
}

/** Loads the next page of a list. For lists that are seldom long; others use `VirtualRows`. */
export function MoreButton({
  query: { hasNextPage = false, isFetchingNextPage = false, fetchNextPage },
}: {
  query: Partial<PagedQuery>;
}) {
  if (!hasNextPage) return null;
  return (
    <Group justify="center" p="md">
      <Button variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage?.()}>
        Show more
      </Button>
    </Group>
  );
}
