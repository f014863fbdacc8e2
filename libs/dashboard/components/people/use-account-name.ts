import { useQuery } from '@tanstack/react-query';
import type { Conversation } from '#client';
import { accountsOf } from '../../api/accounts';
import { useGateway } from '../../api/gateway';
import { queries } from '../../api/queries';
import { useMay } from '../../session/use-session';

/** The name of the account, if its platform has several. */
export function useAccountName({ platform, account }: Pick<Conversation, 'platform' | 'account'>): string | undefined {
  const { data } = useQuery({ ...queries.status(useGateway()), enabled: useMay('read:status') });
  return accountsOf(data, platform).length > 1 ? account.name : undefined;
}
