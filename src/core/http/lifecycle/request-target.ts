import { isUtf8 } from 'node:buffer';
import { maskKeys } from '#contracts';

const AUTHORITY = /^https?:\/\/[^/?#]*/i;
const ESCAPES = /(?:%[0-9a-f]{2})+|%/gi;

/**
 * What is asked for, so that the router can read it: what it cannot, it refuses before any hook, and no key is checked and
 * no audit entry written. A host before the path (RFC 9112, 3.2.2) is left out. Escapes that are no UTF-8 are taken
 * literally, as an id that nobody has.
 */
export function readableTarget(target: string): string {
  const local = target.startsWith('/') ? target : withoutAuthority(target);
  if (!local.includes('%')) return local;
  const end = endOfPath(local);
  return local.slice(0, end).replaceAll(ESCAPES, decodable) + local.slice(end);
}

/** What may be stored and shown of what is asked for: without the query string, and of keys only the end. */
export function pathOf(url: string): string {
  const path = url.slice(0, endOfPath(url));
  // `service%5Fsk…` is a key as well.
  const text = path.includes('%') ? decodeURIComponent(path) : path;
  const masked = maskKeys(text);
  return masked === text ? path : masked;
}

function withoutAuthority(target: string): string {
  const local = target.replace(AUTHORITY, '');
  return local === target || local.startsWith('/') ? local : `/${local}`;
}

/** Without the exceptions of `decodeURIComponent`: a URL has room for thousands. */
function decodable(escapes: string): string {
  const isText = escapes !== '%' && isUtf8(Buffer.from(escapes.replaceAll('%', ''), 'hex'));
  return isText ? escapes : escapes.replaceAll('%', '%25');
}

/** The router takes a fragment for a query too. */
function endOfPath(url: string): number {
  const end = url.search(/[?#]/);
  return end === -1 ? url.length : end;
}
