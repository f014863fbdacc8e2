import { Agent, EnvHttpProxyAgent, interceptors, request } from 'undici';

/** As many as Node's `fetch` follows. */
const MAX_REDIRECTIONS = 20;
/** Time limits are the caller's signal's. */
const OPTIONS = { allowH2: false, headersTimeout: 0, bodyTimeout: 0 } as const;

// oxlint-disable-next-line node/no-process-env -- Node's own switch, by which its `fetch` heeds the proxies of the environment
const agent = process.env['NODE_USE_ENV_PROXY'] === '1' ? new EnvHttpProxyAgent(OPTIONS) : new Agent(OPTIONS);
const dispatcher = agent.compose(
  interceptors.redirect({
    maxRedirections: MAX_REDIRECTIONS,
    stripHeadersOnCrossOriginRedirect: ['x-api-key'],
  }),
);

/**
 * `fetch` as the SDK needs it for an answer that is read whole. Node's own passes request and answer through web streams:
 * half of the SDK's time for a call, and garbage that only a full collection takes away.
 * @param init headers as `Headers`, a body of text
 */
export async function wholeFetch(url: string | URL | Request, init: RequestInit = {}): Promise<Response> {
  const { statusCode, headers, body } = await request(url instanceof Request ? url.url : url, {
    method: (init.method ?? 'GET') as 'GET' | 'POST',
    // `request` decodes nothing.
    headers: { ...Object.fromEntries(new Headers(init.headers)), 'accept-encoding': 'identity' },
    body: init.body as string | null | undefined,
    signal: init.signal,
    dispatcher,
  });
  const flat = Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((one): [string, string] => [name, one]),
  );
  const text = await body.text();
  // Given the body, it would make a web stream of it, which costs more than all else of it.
  return Object.assign(new Response(null, { status: statusCode, headers: flat }), {
    text: () => Promise.resolve(text),
    json: () => Promise.resolve(text).then(JSON.parse),
  });
}
