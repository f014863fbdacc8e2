import { useSyncExternalStore } from 'react';
import { may, sessions, type Environment, type Scope, type Session } from './session';

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

/** @see may */
export function useMay(...anyOf: readonly Scope[]): boolean {
  return may(useSession(), ...anyOf);
}
