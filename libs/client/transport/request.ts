import type { Method } from './operation';

/** The input of a request; {@link InputAt} has its type for each operation. */
interface Input {
  path?: object;
  query?: object;
  body?: unknown;
}

/** A call's options beside its input. */
export interface Traits {
  /** Whether the request is idempotent. Default: as HTTP defines it for the method. */
  repeatable?: boolean;
  headers?: Readonly<Record<string, string>>;
  /** Instead of a JSON body. */
  upload?: FormData | ReadableStream<Uint8Array>;
}

/** A request that may be sent several times; without the key. */
export interface PreparedRequest {
  method: string;
  /** The path as the OpenAPI document writes it. */
  path: string;
  url: string;
  headers: Headers;
  body: string | FormData | ReadableStream<Uint8Array> | undefined;
  repeatable: boolean;
}

/**
 * @param path of the document, with its parameters in braces
 * @throws TypeError when an id is missing, or a header is malformed
 */
export function prepare(
  baseUrl: string,
  method: Method,
  path: string,
  { path: ids = {}, query = {}, body }: Input,
  { repeatable = method !== 'post', headers, upload }: Traits,
): PreparedRequest {
  const url = new URL(baseUrl + fillIn(path, ids));
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null) url.searchParams.set(name, String(value));
  }
  return {
    method: method.toUpperCase(),
    path,
    url: url.href,
    headers: new Headers({
      accept: 'application/json',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    }),
    body: upload ?? (body === undefined ? undefined : JSON.stringify(body)),
    repeatable,
  };
}

function fillIn(path: string, ids: object): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const id = (ids as Record<string, string | undefined>)[name] ?? '';
    // URL removes such a segment, also when it is encoded: the request would address another resource.
    if (id === '' || id === '.' || id === '..') throw new TypeError(`${name} must be given`);
    return encodeURIComponent(id);
  });
}
