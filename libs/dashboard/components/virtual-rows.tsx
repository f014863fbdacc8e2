import { Loader } from '@mantine/core';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useCallback, useEffect, useRef, type ReactNode } from 'react';
import classes from './virtual-rows.module.css';

interface VirtualRowsProps<T> {
  label: string;
  items: readonly T[];
  /** Estimated height of a row in pixels, until it is measured. */
  rowHeight: number;
  height: string;
  /** Whether there are more items; `onMore` loads them. */
  hasMore: boolean;
  onMore: () => void;
  children: (item: T) => ReactNode;
}

/** Loads the next page this many rows before the last loaded row. */
const AHEAD = 20;
const OVERSCAN = 8;

/** A list of any length. Only the visible rows are in the document. */
export function VirtualRows<T extends { id: string }>({
  label,
  items,
  rowHeight,
  height,
  hasMore,
  onMore,
  children,
}: VirtualRowsProps<T>) {
  const scroller = useRef<HTMLDivElement>(null);
  // With a new function in each render, the virtualizer would lay out all rows again at each scroll step.
  const estimateSize = useCallback(() => rowHeight, [rowHeight]);
  const getItemKey = useCallback((index: number) => items[index]?.id ?? 'more', [items]);
  const virtualizer = useVirtualizer({
    count: items.length + (hasMore ? 1 : 0),
    getScrollElement: () => scroller.current,
    estimateSize,
    getItemKey,
    overscan: OVERSCAN,
  });
  const rows = virtualizer.getVirtualItems();
  const isNearEnd = (rows.at(-1)?.index ?? 0) >= items.length - AHEAD;
  useEffect(() => {
    if (hasMore && isNearEnd) onMore();
  }, [hasMore, isNearEnd, onMore, items.length]);

  return (
    // tabIndex: the keyboard must reach a scrolling region.
    <div ref={scroller} className={classes.scroller} style={{ height }} tabIndex={0} role="list" aria-label={label}>
      <div className={classes.rows} style={{ height: virtualizer.getTotalSize() }}>
        {rows.map(({ index, key, start }) => (
          <div
            key={key}
            ref={virtualizer.measureElement}
            data-index={index}
            role="listitem"
            aria-setsize={hasMore ? -1 : items.length}
            aria-posinset={index + 1}
            className={classes.row}
            style={{ transform: `translateY(${start}px)` }}
          >
            {items[index] ? (
              children(items[index])
            ) : (
              <div className={classes.more}>
                <Loader size="xs" />
              </div>
            )}
          </div>
        ))}
      </div>
    </div>
  );
}
