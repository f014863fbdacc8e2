import { Skeleton, Stack, VisuallyHidden } from '@mantine/core';
import type { ReactNode } from 'react';
import { FaultAlert } from './feedback/fault-alert';
import { MoreButton, type PagedQuery } from './more-button';

interface ListingProps {
  query: { data: unknown; error: unknown; refetch: () => unknown } & Partial<PagedQuery>;
  /** Column headings. A heading that begins with a dash is only for screen readers. */
  columns: readonly string[];
  /** Shown in place of an empty table. */
  empty: ReactNode;
  /** Height of the placeholder while the list loads, in pixels. */
  height?: number;
  /** The rows. */
  children: readonly ReactNode[];
}

const HIDDEN = '-';

/** A list as a table. Also shows the states loading, failed and empty. */
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
