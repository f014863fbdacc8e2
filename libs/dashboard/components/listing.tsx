import { Skeleton, Stack, VisuallyHidden } from '@mantine/core';
import type { ReactNode } from 'react';
import { FaultAlert } from './feedback/fault-alert';
import { MoreButton, type PagedQuery } from './more-button';

interface ListingProps {
  query: { data: unknown; error: unknown; refetch: () => unknown } & Partial<PagedQuery>;
  /** The headings; one that is hidden begins with a dash. */
  columns: readonly string[];
  /** Shown in place of an empty table. */
  empty: ReactNode;
  /** Pixels that it takes while it is read. */
  height?: number;
  /** The rows. */
  children: readonly ReactNode[];
}

const HIDDEN = '-';

/** A table of a list, with its states: loading, failed, empty. */
export function Listing({ query, columns, empty, height = 160, children }: ListingProps) {
  if (query.error) {
    return (
      <Stack p="md">
        <FaultAlert error={query.error} onRetry={() => void query.refetch()} />
      </Stack>
    );
  }
  if (!query.data) return <Skeleton height={height} radius={0} />;
  if (children.length === 0) return empty;
  return (
    <div className="scroll-x">
      <table className="table wide">
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col">
                {column.startsWith(HIDDEN) ? <VisuallyHidden>{column.slice(1)}</VisuallyHidden> : column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
      <MoreButton query={query} />
    </div>
  );
}
