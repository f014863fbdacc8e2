/** `https://KEY:SECRET@host/bucket/prefix?region=eu-central-1` without what is secret, as records and messages name it. */
export function objectAddress(url: URL): string {
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}
