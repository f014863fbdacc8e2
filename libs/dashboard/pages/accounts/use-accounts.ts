import { useQuery } from '@tanstack/react-query';
import { useGateway } from '../../api/gateway';
import { isAccount } from '../../api/accounts';
import { queries } from '../../api/queries';

/** How often the accounts are read while one connects, in milliseconds. */
const CONNECTING_MS = 2_000;

/** All bots and numbers of the environment. */
export function useAccounts() {
  return useQuery({
    ...queries.integrations(useGateway()),
    refetchInterval: ({ state }) =>
      state.data?.some(({ enabled, status }) => enabled && status === 'reconnecting') ? CONNECTING_MS : false,
    select: (items) => items.filter(isAccount),
  });
}
