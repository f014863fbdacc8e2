import { useMemo } from 'react';
import { MessagingGateway } from '#client';
import type { Session } from '../session/session';
import { useSession } from '../session/use-session';
import { gatewayFetch } from './gateway-fetch';

/** The API with this key: the same client as in any other program. */
export function gatewayWith(key: string): MessagingGateway {
  return new MessagingGateway({ apiKey: key, baseUrl: location.origin, fetch: gatewayFetch(key) });
}

export function currentKey({ keys, environment }: Session): string {
  return keys[environment]!;
}

/** The API with the key of the environment that is shown. */
export function useGateway(): MessagingGateway {
  const key = currentKey(useSession());
  return useMemo(() => gatewayWith(key), [key]);
}
