/** `https://KEY:SECRET@host/bucket/prefix?region=eu-central-1` without credentials, for records and messages. */
export function objectAddress(url: URL): string {
  return `${url.origin}${url.pathname.replace(/(?<!\/)\/+$/, '')}`;
}
