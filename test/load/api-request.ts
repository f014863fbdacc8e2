import { request, type Dispatcher } from 'undici';
import type { MeasuredContender } from './bench.port';
import type { ChildServer } from './child-server';

/** A request to the API with a key and a JSON body. @param path after `/api/v1` */
export function apiRequest(
  key: string,
  method: Dispatcher.HttpMethod,
  path: string,
  body?: unknown,
): Dispatcher.RequestOptions & { headers: Record<string, string> } {
  return {
    method,
    path: `/api/v1${path}`,
    headers: { authorization: `Bearer ${key}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
    body: body === undefined ? undefined : JSON.stringify(body),
  };
}

/** @returns `data` of the answer. @throws unless it is a success */
export async function callGateway<Data>(
  origin: string,
  key: string,
  method: Dispatcher.HttpMethod,
  path: string,
  body?: unknown,
): Promise<Data> {
  const { path: wholePath, ...options } = apiRequest(key, method, path, body);
  const answer = await request(`${origin}${wholePath}`, options);
  const text = await answer.body.text();
  if (answer.statusCode >= 300) throw new Error(`${method} ${path} answered ${answer.statusCode}: ${text}`);
  return (JSON.parse(text) as { data: Data }).data;
}

/**
 * A contender that gets API requests and counts them.
 * @param settled as in `Contender`; by default there is no background work
 */
export function apiContender(
  name: string,
  { origin, pid }: ChildServer,
  databaseUrl: string,
  next: () => ReturnType<typeof apiRequest>,
  settled = (): Promise<void> => Promise.resolve(),
): MeasuredContender {
  let asked = 0;
  const ask = () => {
    asked += 1;
    return next();
  };
  return { name, origin, pid, databaseUrl, asked: () => asked, request: ask, settled };
}
