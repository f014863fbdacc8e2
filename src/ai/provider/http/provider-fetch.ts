import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { Agent, EnvHttpProxyAgent, fetch as fetchThrough, type Dispatcher } from 'undici';
import { exchange } from '#http-client';

/** As many as Node's `fetch` follows. */
const MAX_REDIRECTIONS = 20;
const KEYS = ['authorization', 'x-api-key', 'api-key'];
/** No answer of a model is longer: a faulty server must not fill the memory. */
const MOST_BYTES = 16 * 1_024 * 1_024;
/** The caller's signal sets the time limits. */
const OPTIONS = { allowH2: false, headersTimeout: 0, bodyTimeout: 0 } as const;

const agent = heedsProxies() ? new EnvHttpProxyAgent(OPTIONS) : new Agent(OPTIONS);

/** Whether Node's own `fetch` goes through the proxies of the environment (https://nodejs.org/api/cli.html#--use-env-proxy). */
function heedsProxies(): boolean {
  // oxlint-disable-next-line node/no-process-env -- Node's own switches, not settings of ours
  const { NODE_USE_ENV_PROXY, NODE_OPTIONS = '' } = process.env;
  return NODE_USE_ENV_PROXY === '1' || [...process.execArgv, ...NODE_OPTIONS.split(/\s+/)].includes('--use-env-proxy');
}

interface FetchInit extends Omit<RequestInit, 'dispatcher'> {
  /** Connects in place of the process's own agent. */
  dispatcher?: Dispatcher | undefined;
  /** Ends the call as `signal` does. */
  caller?: AbortSignal | undefined;
  /** The body, in place of `body`. */
  pieces?: readonly Buffer[] | undefined;
}

/**
 * `fetch` as the SDK needs it for an answer that is read whole. Node's own uses web streams, which take half of the SDK's
 * time for a call and leave garbage that only a full collection frees.
 * @param init headers as `Headers`, a body of text
 */
export function wholeFetch(url: string | URL | Request, init: FetchInit = {}): Promise<Response> {
  return followRedirects(
    url,
    init,
    async (to, { method, headers, body, pieces, signal, caller, dispatcher = agent }) => {
      const answer = await exchange(dispatcher, to, {
        most: MOST_BYTES,
        method: (method ?? 'GET') as 'GET' | 'POST',
        headers: {
          ...Object.fromEntries(new Headers(headers)),
          // `exchange` does not decompress the answer.
          'accept-encoding': 'identity',
          ...(pieces && { 'content-length': String(pieces.reduce((sum, { length }) => sum + length, 0)) }),
        },
        body: pieces ? Readable.from(oneInATurn(pieces)) : (body as string | null | undefined),
        signals: [signal, caller].filter((one) => one != null),
      });
      const flat = Object.entries(answer.headers).flatMap(([name, value]) =>
        [value ?? []].flat().map((one): [string, string] => [name, one]),
      );
      // Given the body, Response would create a web stream, which costs more than the rest of it.
      return Object.assign(new Response(null, { status: answer.status, headers: flat }), {
        text: () => Promise.resolve(answer.text),
        json: () => Promise.resolve(answer.text).then(JSON.parse),
      });
    },
  );
}

/** A fast connection would take the whole body in one turn of the event loop. */
async function* oneInATurn(pieces: readonly Buffer[]): AsyncGenerator<Buffer, void, undefined> {
  for (const piece of pieces) {
    yield piece;
    await setImmediate();
  }
}

/** Passes a body on as it arrives: Node's own `fetch`, or that of the dispatcher's library. */
export function streamingFetch(url: string | URL | Request, init: FetchInit = {}): Promise<Response> {
  return followRedirects(url, init, async (to, { pieces, dispatcher, ...rest }) => {
    if (!dispatcher) return fetch(to, { ...rest, redirect: 'manual', ...(pieces && { body: new Blob([...pieces]) }) });
    const answer: unknown = await fetchThrough(to, {
      method: rest.method,
      headers: Object.fromEntries(new Headers(rest.headers)),
      body: pieces ? new Blob([...pieces]) : (rest.body as string | null | undefined),
      signal: rest.signal,
      redirect: 'manual',
      dispatcher,
    });
    return answer as Response;
  });
}

/** Sends the same request to where the answer points. Across origins it drops both keys; `fetch` would drop only `Authorization`. */
async function followRedirects(
  url: string | URL | Request,
  init: FetchInit,
  send: (to: URL, init: FetchInit) => Promise<Response>,
): Promise<Response> {
  const headers = new Headers(init.headers);
  // Another redirect status would turn a POST into a GET, which the API does not accept.
  const followed = init.method === 'POST' ? [307, 308] : [301, 302, 303, 307, 308];
  let from = new URL(url instanceof Request ? url.url : url);
  for (let left = MAX_REDIRECTIONS; ; left -= 1) {
    const response = await send(from, { ...init, headers });
    const to = URL.parse(response.headers.get('location') ?? '', from.href);
    if (!followed.includes(response.status) || !to || left === 0) return response;
    await response.body?.cancel();
    if (to.origin !== from.origin) for (const key of KEYS) headers.delete(key);
    from = to;
  }
}
