import type { ApiKey } from '#client';
import { Store } from '../store';

export type Environment = ApiKey['environment'];
export type Scope = ApiKey['scopes'][number];

/** The signed-in keys: one, or one per environment. */
export interface Session {
  keys: Partial<Record<Environment, string>>;
  environment: Environment;
  /** Scopes of the keys; undefined until the gateway has answered. */
  scopes: Partial<Record<Environment, readonly Scope[]>>;
}

const STORED = 'gateway.session';

interface State {
  session: Session | undefined;
  /** Why the last session ended, as a sentence. */
  endedBecause: string | undefined;
}

const store = new Store<State>({ session: stored(), endedBecause: undefined });

/** Keys are only in session storage, so they end with the tab. */
function stored(): Session | undefined {
  try {
    return JSON.parse(sessionStorage.getItem(STORED) ?? 'null') ?? undefined;
  } catch {
    return undefined;
  }
}

function change(next: State): void {
  if (next.session) sessionStorage.setItem(STORED, JSON.stringify(next.session));
  else sessionStorage.removeItem(STORED);
  store.set(next);
}

export const sessions = {
  subscribe: store.subscribe,
  get: store.get,

  begin(session: Session): void {
    change({ session, endedBecause: undefined });
  },

  /** @param because a sentence for the person; undefined if the person signed out */
  end(because?: string): void {
    change({ session: undefined, endedBecause: because });
  },

  switchTo(environment: Environment): void {
    const { session } = store.get();
    if (session?.keys[environment]) change({ session: { ...session, environment }, endedBecause: undefined });
  },

  learnScopes(key: string, scopes: readonly Scope[]): void {
    const { session } = store.get();
    const environment = environmentOf(key);
    if (session?.keys[environment] !== key || session.scopes[environment]?.join() === scopes.join()) return;
    change({ session: { ...session, scopes: { ...session.scopes, [environment]: scopes } }, endedBecause: undefined });
  },

  /** Ends the session if the refused key is in use. Only forgets a refused key of the other environment. */
  refuse(key: string, because: string): void {
    const { session } = store.get();
    const environment = environmentOf(key);
    if (session?.keys[environment] !== key) return;
    if (session.environment === environment) return sessions.end(because);
    const { [environment]: _, ...keys } = session.keys;
    change({ session: { ...session, keys }, endedBecause: undefined });
  },
};

/** Whether the key in use has one of the scopes. While its scopes are unknown, the gateway decides. */
export function may({ environment, scopes }: Session, ...anyOf: readonly Scope[]): boolean {
  const held = scopes[environment];
  return !held || held.includes('*') || anyOf.some((scope) => held.includes(scope));
}

export function environmentOf(key: string): Environment {
  return key.startsWith('service_sk_test_') ? 'test' : 'live';
}

/** Masks a key as the gateway does: the environment and the last four characters. */
export function masked(key: string): string {
  return `${key.slice(0, 'service_sk_live_'.length)}…${key.slice(-4)}`;
}
