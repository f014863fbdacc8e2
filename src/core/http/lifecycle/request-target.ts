import { isUtf8 } from 'node:buffer';
import { maskKeys } from '#contracts';

const AUTHORITY = /^https?:\/\/[^/?#]*/i;
const ESCAPES = /(?:%[0-9a-f]{2})+|%/gi;

/**
 * Rewrites the target of a request so that the router can decode it: the router refuses other targets before any hook, so
 * without a check of the key and an audit entry. It removes a host before the path (RFC 9112, 3.2.2). Escapes that are not
 * UTF-8 are taken literally: they name an unknown id.
 */
export function readableTarget(target: string): string {
  const local = target.startsWith('/') ? target : withoutAuthority(target);
  if (!local.includes('%')) return local;
  const end = endOfPath(local);
  return local.slice(0, end).replaceAll(ESCAPES, decodable) + local.slice(end);
}

/** The part of a URL that may be stored and shown: without the query string, and with keys masked. */
export function pathOf(url: string): string {
  const path = url.slice(0, endOfPath(url));
  // `service%5Fsk…` is also a key.
  const text = path.includes('%') ? decodeURIComponent(path) : path;
  const masked = maskKeys(text);
  return masked === text ? path : masked;
}

function withoutAuthority(target: string): string {
  const local = target.replace(AUTHORITY, '');
  return local === target || local.startsWith('/') ? local : `/${local}`;
}

/** Unlike `decodeURIComponent` it does not throw: a URL may hold thousands of invalid escapes, and throwing is slow. */
function decodable(escapes: string): string {
  const isText = escapes !== '%' && isUtf8(Buffer.from(escapes.replaceAll('%', ''), 'hex'));
  return isText ? escapes : escapes.replaceAll('%', '%25');
}

/** Like the router, it treats a fragment as a query. */
function endOfPath(url: string): number {
  const end = url.search(/[?#]/);
  return end === -1 ? url.length : end;
}
