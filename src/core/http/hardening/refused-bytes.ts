import { pathOf } from '../lifecycle/request-target';

const REQUEST_LINE = /^([A-Z]{1,20}) (\S+)/;
const AUTHORIZATION = /\r?\nauthorization: *bearer +(\S+) *\r?\n/i;
const QUERY_KEY = /[?&]api_key=([^&#\s]+)/;
/** Method and path are at the beginning of a request. */
const LONGEST = 64 * 1_024;

/** The readable part of a request that the parser refused. */
export interface RefusedRequest {
  method?: string;
  path?: string;
  key?: string;
}

/**
 * Reads a request that the parser refused.
 * @param bytes the parser's input; a part of the request if it came in several
 * @param parsed number of bytes that it had read: they may begin with earlier requests
 */
export function readRefused(bytes: Buffer, parsed = 0): RefusedRequest {
  const before = bytes.lastIndexOf('\r\n\r\n', Math.max(0, parsed - 4), 'latin1');
  const start = before === -1 ? 0 : before + 4;
  const text = bytes.toString('latin1', start, start + LONGEST);
  const [, method, target] = REQUEST_LINE.exec(text) ?? [];
  const key = AUTHORIZATION.exec(text)?.[1] ?? (target && QUERY_KEY.exec(target)?.[1]);
  return { method, path: target && readablePath(target), key };
}

/** An escape that cannot be decoded stays as it is. */
function readablePath(target: string): string {
  try {
    return pathOf(target);
  } catch {
    return pathOf(target.replaceAll('%', '%25'));
  }
}
