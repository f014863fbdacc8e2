import type { ApiKey } from '#client';

export type Environment = ApiKey['environment'];
export type Scope = ApiKey['scopes'][number];

/** Who is signed in: a key, or one for each environment. */
export interface Session {
  keys: Partial<Record<Environment, string>>;
  environment: Environment;
  /** What the keys may do; undefined until the gateway has told it. */
  scopes: Partial<Record<Environment, readonly Scope[]>>;
}

const STORED = 'gateway.session';

interface State {
  session: Session | undefined;
  /** Why the last session ended, in words. */
  endedBecause: string | undefined;
}

let state: State = { session: stored(), endedBecause: undefined };
const listeners = new Set<() => void>();

/** The keys are in session storage and nowhere else: they end with the tab. */
function stored(): Session | undefined {
  try {
    return JSON.parse(sessionStorage.getItem(STORED) ?? 'null') ?? undefined;
  } catch {
    return undefined;
  }
}

function change(next: State): void {
  state = next;
  if (next.session) sessionStorage.setItem(STORED, JSON.stringify(next.session));
  else sessionStorage.removeItem(STORED);
  for (const listener of listeners) listener();
}

export const sessions = {
  subscribe: (listener: () => void): (() => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
  get: (): State => state,

  begin(session: Session): void {
    change({ session, endedBecause: undefined });
  },

  /** @param because in words, if it was not the person's wish */
  end(because?: string): void {
    change({ session: undefined, endedBecause: because });
  },

  switchTo(environment: Environment): void {
    if (state.session?.keys[environment]) change({ ...state, session: { ...state.session, environment } });
  },

  learnScopes(key: string, scopes: readonly Scope[]): void {
    const { session } = state;
    const environment = environmentOf(key);
    if (session?.keys[environment] !== key || session.scopes[environment]?.join() === scopes.join()) return;
    change({ ...state, session: { ...session, scopes: { ...session.scopes, [environment]: scopes } } });
  },

  /** Ends the session if the key is the one in use; a key of the other environment is only forgotten. */
  refuse(key: string, because: string): void {
    const { session } = state;
    const environment = environmentOf(key);
    if (session?.keys[environment] !== key) return;
    if (session.environment === environment) return sessions.end(because);
    const { [environment]: _, ...keys } = session.keys;
    change({ ...state, session: { ...session, keys } });
  },
};

export function environmentOf(key: string): Environment {
  return key.startsWith('service_sk_test_') ? 'test' : 'live';
}

/** As the gateway shows keys: the environment and the last four characters. */
export function masked(key: string): string {
  return `${key.slice(0, 'service_sk_live_'.length)}…${key.slice(-4)}`;
}
