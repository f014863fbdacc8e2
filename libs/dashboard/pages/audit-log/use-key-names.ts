import { useInfiniteQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useGateway } from '../../api/gateway';
import { queries } from '../../api/queries';

/** Key id → name, of the newest keys. */
export function useKeyNames(): ReadonlyMap<string, string> {
  const { data } = useInfiniteQuery(queries.apiKeys(useGateway()));
  return useMemo(
    () => new Map(data?.pages.flatMap((page) => page.data.map(({ id, name }) => [id, name] as const)) ?? []),
    [data],
  );
}
