import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { ConversationItem, MessageListParams } from '#client';
import { useGateway } from '../../../api/gateway';
import { queries } from '../../../api/queries';
import { longestWaitFirst } from '../handover/longest-wait';
import { isMine } from '../handover/own-name';
import { isSelected, queryOf, type ConversationSearch } from './list-view';

interface Listed {
  /** Undefined while the list loads. */
  items: ConversationItem[] | undefined;
  total: number | undefined;
  error: unknown;
  hasMore: boolean;
  onMore: () => void;
  refetch: () => unknown;
}

/** The conversations for the filters in the page's URL. */
export function useListed(search: ConversationSearch): Listed {
  const gateway = useGateway();
  const isFailed = search.show === 'failed';
  const isQueue = search.show === 'waiting';
  const isOwn = search.show === 'mine';
  const all = useInfiniteQuery({ ...queries.conversations(gateway, queryOf(search)), enabled: !isFailed });
  const failed = useQuery({
    ...queries.failedConversations(gateway, search.platform as MessageListParams['platform']),
    enabled: isFailed,
  });
  const { q, status } = search;
  const items = useMemo(() => {
    if (isFailed) return failed.data?.filter((conversation) => isSelected({ q, status }, conversation));
    const read = all.data?.pages.flatMap((page) => page.data);
    if (isOwn) return read?.filter(isMine);
    return isQueue && read ? longestWaitFirst(read) : read;
  }, [isFailed, isOwn, isQueue, failed.data, all.data, q, status]);
  if (isFailed) {
    const { error, refetch } = failed;
    return { items, total: items?.length, error, hasMore: false, onMore: () => undefined, refetch };
  }
  return {
    items,
    total: isOwn ? items?.length : all.data?.pages[0]?.pagination.total,
    error: all.error,
    hasMore: all.hasNextPage,
    onMore: () => {
      if (!all.isFetchingNextPage) void all.fetchNextPage();
    },
    refetch: all.refetch,
  };
}
