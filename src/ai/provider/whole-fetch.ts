import { Agent, EnvHttpProxyAgent, interceptors } from 'undici';
import { exchange } from '#http-client';

/** As many as Node's `fetch` follows. */
const MAX_REDIRECTIONS = 20;
const KEYS = ['authorization', 'x-api-key'];
/** The caller's signal sets the time limits. */
const OPTIONS = { allowH2: false, headersTimeout: 0, bodyTimeout: 0 } as const;

const agent = heedsProxies() ? new EnvHttpProxyAgent(OPTIONS) : new Agent(OPTIONS);
const dispatcher = agent.compose(
  interceptors.redirect({
    maxRedirections: MAX_REDIRECTIONS,
    stripHeadersOnCrossOriginRedirect: KEYS,
  }),
);

/** Whether Node's own `fetch` goes through the proxies of the environment (https://nodejs.org/api/cli.html#--use-env-proxy). */
function heedsProxies(): boolean {
  // oxlint-disable-next-line node/no-process-env -- Node's own switches, not settings of ours
  const { NODE_USE_ENV_PROXY, NODE_OPTIONS = '' } = process.env;
  return NODE_USE_ENV_PROXY === '1' || [...process.execArgv, ...NODE_OPTIONS.split(/\s+/)].includes('--use-env-proxy');
}

/**
 * `fetch` as the SDK needs it for an answer that is read whole. Node's own uses web streams, which take half of the SDK's
 * time for a call and leave garbage that only a full collection frees.
 * @param init headers as `Headers`, a body of text; `caller` ends the call as `signal` does
 */
export async function wholeFetch(
  url: string | URL | Request,
  init: RequestInit & { caller?: AbortSignal } = {},
): Promise<Response> {
  const { status, headers, text } = await exchange(dispatcher, url instanceof Request ? url.url : url, {
    method: (init.method ?? 'GET') as 'GET' | 'POST',
    // `exchange` does not decompress the answer.
    headers: { ...Object.fromEntries(new Headers(init.headers)), 'accept-encoding': 'identity' },
    body: init.body as string | null | undefined,
    signals: [init.signal, init.caller].filter((signal) => signal != null),
  });
  const flat = Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((one): [string, string] => [name, one]),
  );
  // Given the body, Response would create a web stream, which costs more than the rest of it.
  return Object.assign(new Response(null, { status, headers: flat }), {
    text: () => Promise.resolve(text),
    json: () => Promise.resolve(text).then(JSON.parse),
  });
}

/** Node's own `fetch`, which passes a body on as it arrives. Across origins it drops only `Authorization`, not our other key. */
export async function streamingFetch(
  url: string | URL | Request,
  init?: RequestInit,
  left = MAX_REDIRECTIONS,
): Promise<Response> {
  const response = await fetch(url, { ...init, redirect: 'manual' });
  const from = new URL(url instanceof Request ? url.url : url);
  const to = URL.parse(response.headers.get('location') ?? '', from.href);
  // Another redirect status would turn the POST into a GET, which the API does not accept.
  if (![307, 308].includes(response.status) || !to || left === 0) return response;
  await response.body?.cancel();
  const headers = new Headers(init?.headers);
  if (to.origin !== from.origin) for (const key of KEYS) headers.delete(key);
  return streamingFetch(to, { ...init, headers }, left - 1);
}
