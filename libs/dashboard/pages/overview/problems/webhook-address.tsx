import { useQuery } from '@tanstack/react-query';
import { useGateway } from '../../../api/gateway';
import { queries } from '../../../api/queries';
import { useMay } from '../../../session/use-session';

/** The URL of a webhook, or its id if the key may not read it. */
export function WebhookAddress({ id }: { id: string }) {
  const { data } = useQuery({ ...queries.webhook(useGateway(), id), enabled: useMay('admin:settings') });
  return ` · ${data?.url ?? id}`;
}
