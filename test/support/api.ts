import { request, type Dispatcher } from 'undici';
import { checkAnswer } from './contract';

export interface ApiCall {
  /** `null`: no key at all. */
  key?: string | null;
  headers?: Record<string, string>;
}

export interface ApiAnswer<Data = unknown> {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: ApiBody<Data>;
}

/** Every body under /api; which fields are there is what tests are about. */
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
 * One request to a gateway. Its answer must match the OpenAPI document.
 * @param path from `/api/v1` on, with its query; one that begins with `/api`, `/health` or `/docs` is taken as it is
 * @param body an object goes as JSON, a string as it is (with the JSON media type unless `headers` name another)
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

/** The text of an answer; of one that does not end by itself, what is there at once. */
export async function textOf(
  { headers, body }: Pick<Dispatcher.ResponseData, 'headers' | 'body'>,
  method: string,
): Promise<string> {
  const isEndless = method === 'GET' && String(headers['content-type']).startsWith('text/event-stream');
  if (!isEndless) return body.text();
  for await (const chunk of body) return String(chunk);
  return '';
}
