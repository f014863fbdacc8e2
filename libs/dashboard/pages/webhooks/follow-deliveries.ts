import type { QueryClient } from '@tanstack/react-query';

/** When the page looks for the attempts that it has asked for, in milliseconds: no event reports them. */
const LOOKS_MS = [500, 2_000, 5_000, 15_000, 30_000];

/** Reads a webhook's figures again while the gateway delivers. */
export function followDeliveries(client: QueryClient, webhookId: string): void {
  const names = [['deliveries', webhookId], ['webhook', webhookId], ['problems']];
  for (const ms of LOOKS_MS)
    setTimeout(() => {
      for (const queryKey of names) void client.invalidateQueries({ queryKey });
    }, ms);
}
