/** RFC 6761, 6.3; and the names of ::1 in /etc/hosts of distributions. */
const LOOPBACK = /(?:^|\.)localhost$|^ip6-(?:localhost|loopback)$/;

/** Metadata servers of clouds, which hand out the secrets of a machine. Only the cloud's own name servers know these names. */
const METADATA: ReadonlySet<string> = new Set([
  'metadata.google.internal',
  'metadata',
  'instance-data.ec2.internal',
  'instance-data',
]);

/**
 * Names that mean the operator's network, whether they resolve now or not.
 * @param hostname as the URL parser leaves it: in lower case
 */
export function kindOfName(hostname: string): 'loopback' | 'metadata' | undefined {
  const name = hostname.replace(/(?<!\.)\.+$/, '');
  if (LOOPBACK.test(name)) return 'loopback';
  return METADATA.has(name) ? 'metadata' : undefined;
}
