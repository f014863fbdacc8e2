import OpenAI, { APIConnectionTimeoutError, type ClientOptions } from 'openai';
import type { ProviderConnection } from '../ai-provider.port';
import { streamingFetch, wholeFetch } from '../http/provider-fetch';
import { errorIn } from './openai-errors';
import type { LimitName } from './openai-request';

type Fetch = (url: string | URL | Request, init?: RequestInit) => Promise<Response>;

const OWN_ADDRESS = /^https:\/\/[\w.-]*\bapi\.openai\.com(?:[:/]|$)/;
/** The hosts of Azure, or its query before any other host, such as a gateway of the operator. */
const AZURE = /^https:\/\/[\w.-]+\.azure\.com(?:[:/]|$)|[?&]api-version=/;

/** One client for whole answers, and one for streams. */
export function clientsOf(connection: ProviderConnection): { whole: OpenAI; streaming: OpenAI } {
  const options = clientOptions(connection);
  const clientWith = (fetching: unknown) => new OpenAI({ ...options, fetch: withPlainErrors(fetching as Fetch) });
  return { whole: clientWith(wholeFetch), streaming: clientWith(streamingFetch) };
}

/** OpenAI's newer models, also at Azure, refuse the older name; other servers ignore the newer one, and then have no limit. */
export function limitNameAt(baseUrl: string | undefined): LimitName {
  return baseUrl === undefined || OWN_ADDRESS.test(baseUrl) || AZURE.test(baseUrl)
    ? 'max_completion_tokens'
    : 'max_tokens';
}

function clientOptions({ apiKey, baseUrl, dispatcher, timeoutMs = 90_000 }: ProviderConnection): ClientOptions {
  const isAzure = baseUrl !== undefined && AZURE.test(baseUrl);
  return {
    // The SDK refuses to call without a key.
    apiKey: apiKey ?? 'none',
    ...((isAzure || apiKey === undefined) && {
      defaultHeaders: { Authorization: null, ...(apiKey !== undefined && { 'api-key': apiKey }) },
    }),
    baseURL: baseUrl ?? null,
    // The SDK must not read these from the environment beside the configured key.
    organization: null,
    project: null,
    adminAPIKey: null,
    fetchOptions: { dispatcher },
    timeout: timeoutMs,
    maxRetries: 0,
    logLevel: 'off',
  };
}

/** Brings errors into OpenAI's form: the SDK drops a body in any other form, also if it says which parameter was refused. */
function withPlainErrors(fetching: Fetch): Fetch {
  return async (url, init) => {
    const response = await fetching(url, init).catch((error: unknown) => {
      // The SDK recognizes its own time limit by the class of the reason, which another realm may have made.
      throw init?.signal?.aborted ? new APIConnectionTimeoutError() : error;
    });
    if (response.ok) return response;
    const error = errorIn(parsed(await response.text()));
    const headers = new Headers(response.headers);
    for (const name of ['content-length', 'content-encoding']) headers.delete(name);
    headers.set('content-type', 'application/json');
    return new Response(JSON.stringify({ error: error ?? {} }), { status: response.status, headers });
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
