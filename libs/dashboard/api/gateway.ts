import { useMemo } from 'react';
import { MessagingGateway } from '#client';
import type { Session } from '../session/session';
import { useSession } from '../session/use-session';
import { gatewayFetch } from './gateway-fetch';

/** The published client of the API, with this key. */
export function gatewayWith(key: string): MessagingGateway {
  return new MessagingGateway({ apiKey: key, baseUrl: location.origin, fetch: gatewayFetch(key) });
}

export function currentKey({ keys, environment }: Session): string {
  return keys[environment]!;
}

/** The client with the key of the current environment. */
export function useGateway(): MessagingGateway {
  const key = currentKey(useSession());
  return useMemo(() => gatewayWith(key), [key]);
}
