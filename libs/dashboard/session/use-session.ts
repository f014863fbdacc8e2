import { useSyncExternalStore } from 'react';
import { sessions, type Environment, type Scope, type Session } from './session';

export function useSessionState() {
  return useSyncExternalStore(sessions.subscribe, sessions.get);
}

/** The session of a signed-in page. */
export function useSession(): Session {
  return useSessionState().session!;
}

export function useEnvironment(): Environment {
  return useSession().environment;
}

/** Whether the key has one of the scopes. While its scopes are unknown, the gateway decides. */
export function useMay(...anyOf: readonly Scope[]): boolean {
  const { environment, scopes } = useSession();
  const held = scopes[environment];
  return !held || held.includes('*') || anyOf.some((scope) => held.includes(scope));
}
