import type { Method } from './operation';

/** What goes into a request, as {@link InputAt} has it for each operation. */
interface Input {
  path?: object;
  query?: object;
  body?: unknown;
}

/** What a call says of its request beside its input. */
export interface Traits {
  /** Whether doing it twice is as good as once. By default, whether the method promises it. */
  repeatable?: boolean;
  headers?: Readonly<Record<string, string>>;
}

/** A request as it is sent, once or several times; without the key. */
export interface PreparedRequest {
  method: string;
  url: string;
  headers: Headers;
  body: string | undefined;
  repeatable: boolean;
}

/**
 * @param path of the document, with its parameters in braces
 * @throws TypeError when an id is missing, or a header cannot be one
 */
export function prepare(
  baseUrl: string,
  method: Method,
  path: string,
  { path: ids = {}, query = {}, body }: Input,
  { repeatable = method !== 'post', headers }: Traits,
): PreparedRequest {
  const url = new URL(baseUrl + fillIn(path, ids));
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null) url.searchParams.set(name, String(value));
  }
  return {
    method: method.toUpperCase(),
    url: url.href,
    headers: new Headers({
      accept: 'application/json',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    }),
    body: body === undefined ? undefined : JSON.stringify(body),
    repeatable,
  };
}

function fillIn(path: string, ids: object): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const id = (ids as Record<string, string | undefined>)[name] ?? '';
    // Such a segment is taken out of a URL, also when it is encoded: the request would be about something else.
    if (id === '' || id === '.' || id === '..') throw new TypeError(`${name} must be given`);
    return encodeURIComponent(id);
  });
}
