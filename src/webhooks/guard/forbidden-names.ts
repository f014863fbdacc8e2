/** RFC 6761, 6.3; and what distributions call ::1 in /etc/hosts. */
const LOOPBACK = /(?:^|\.)localhost$|^ip6-(?:localhost|loopback)$/;

/** Where clouds hand out the secrets of their machines. Only their own name servers know these names. */
const METADATA: ReadonlySet<string> = new Set([
  'metadata.google.internal',
  'metadata',
  'instance-data.ec2.internal',
  'instance-data',
]);

/**
 * Names that mean the operator's network wherever they resolve, also where they do not resolve now.
 * @param hostname as the URL parser leaves it: in lower case
 */
export function kindOfName(hostname: string): 'loopback' | 'metadata' | undefined {
  const name = hostname.replace(/\.+$/, '');
  if (LOOPBACK.test(name)) return 'loopback';
  return METADATA.has(name) ? 'metadata' : undefined;
}
