import { request } from 'undici';

/** @returns `data` of the answer. @throws unless it is a success */
export async function callGateway<Data>(
  origin: string,
  key: string,
  method: string,
  path: string,
  body?: unknown,
): Promise<Data> {
  const answer = await request(`${origin}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const text = await answer.body.text();
  if (answer.statusCode >= 300) throw new Error(`${method} ${path} answered ${answer.statusCode}: ${text}`);
  return (JSON.parse(text) as { data: Data }).data;
}
