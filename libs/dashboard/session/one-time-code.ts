import { sessions, type Session } from './session';

const FRAGMENT = /^#code=(?<code>.+)$/;

/** Reads the code of the printed link, and removes it from the URL so that the history does not keep it. */
export function takeCode(): string | undefined {
  const code = FRAGMENT.exec(location.hash)?.groups?.['code'];
  if (code !== undefined) history.replaceState(null, '', location.pathname + location.search);
  return code && decodeURIComponent(code);
}

/** A link that is pasted into the tab of the sign-in page changes only the fragment: the page is loaded anew to read it. */
export function followPastedLinks(): () => void {
  const load = () => {
    if (FRAGMENT.test(location.hash)) location.reload();
  };
  addEventListener('hashchange', load);
  return () => removeEventListener('hashchange', load);
}

/** Exchanges the code for both keys and signs in. A code works once. */
export async function signInWithCode(code: string): Promise<void> {
  const response = await fetch('/api/v1/dashboard/exchange', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code }),
  });
  if (response.status === 429)
    throw new Error('Too many tries from this address. Wait a minute, or sign in with a key.');
  if (!response.ok) throw new Error('The link has been used or has expired. Sign in with an API key.');
  const { data: keys } = (await response.json()) as { data: Session['keys'] };
  sessions.begin({ keys, environment: keys.live ? 'live' : 'test', scopes: { live: ['*'], test: ['*'] } });
}
