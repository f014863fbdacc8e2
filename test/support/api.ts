import { request, type Dispatcher } from 'undici';
import { checkAnswer } from './contract';

export interface ApiCall {
  /** `null`: the request carries no key. */
  key?: string | null;
  headers?: Record<string, string>;
}

export interface ApiAnswer<Data = unknown> {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: ApiBody<Data>;
}

/** The body of every answer under /api. Tests check which of these fields are present. */
export interface ApiBody<Data = unknown> {
  success: boolean;
  data: Data;
  error: { code: string; message: string; details: Record<string, unknown> | null };
  meta: {
    request_id: string;
    timestamp: string;
    pagination: { page: number; per_page: number; total: number; total_pages: number };
  };
}

/**
 * Sends one request to a gateway. The answer must match the OpenAPI document.
 * @param path with its query. `/api/v1` is put before it, unless it begins with `/api`, `/health`, `/docs`, `/callbacks` or `/metrics`
 * @param body an object is sent as JSON, a string unchanged (as `application/json` unless `headers` say otherwise)
 */
export async function callApi<Data = unknown>(
  url: string,
  method: string,
  path: string,
  body?: unknown,
  { key, headers = {} }: ApiCall = {},
): Promise<ApiAnswer<Data>> {
  const target = /^\/(api|health|docs|callbacks|metrics)\b/.test(path) ? path : `/api/v1${path}`;
  const answer = await request(`${url}${target}`, {
    method: method as 'GET',
    headers: {
      ...(key && { authorization: `Bearer ${key}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    body: body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body),
  });
  const text = await textOf(answer, method);
  const isJson = String(answer.headers['content-type'] ?? '').includes('json');
  const parsed: unknown = isJson ? JSON.parse(text) : text;
  const { statusCode: status, headers: received } = answer;
  await checkAnswer(url, { method, path: target, status, headers: received, body: parsed });
  return { status, headers: received, body: parsed as ApiBody<Data> };
}

/** The text of an answer. An event stream does not end: only its first chunk is read. */
export async function textOf(
  { headers, body }: Pick<Dispatcher.ResponseData, 'headers' | 'body'>,
  method: string,
): Promise<string> {
  const isEndless = method === 'GET' && String(headers['content-type']).startsWith('text/event-stream');
  if (!isEndless) return body.text();
  for await (const chunk of body) return String(chunk);
  return '';
}
