const BYTE = '(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])';
const IPV4 = `(?:${BYTE}[.]){3}${BYTE}`;
const GROUP = '[0-9A-Fa-f]{1,4}';

/** Without a zone; `::` for one group or more (RFC 4291, 2.2). */
const IPV6 = `(?:${[full(), ...Array.from({ length: 8 }, (_, groups) => shortened(groups))].join('|')})`;

/** An IP address or a CIDR range, for the document: `normalizeRange` decides. */
export const RANGE_PATTERN = `^(?:${IPV4}(?:/(?:[12]?[0-9]|3[0-2]))?|${IPV6}(?:/(?:[1-9]?[0-9]|1[01][0-9]|12[0-8]))?)$`;

function full(): string {
  return `(?:${GROUP}:){7}${GROUP}|(?:${GROUP}:){6}${IPV4}`;
}

/** @param groups before `::` */
function shortened(groups: number): string {
  const before = groups === 0 ? '' : `${GROUP}(?::${GROUP}){${groups - 1}}`;
  const most = 7 - groups;
  const after: string[] = [];
  if (most >= 1) after.push(`${GROUP}(?::${GROUP}){0,${most - 1}}`);
  if (most >= 2) after.push(`(?:${GROUP}:){0,${most - 2}}${IPV4}`);
  return `${before}::${after.length > 0 ? `(?:${after.join('|')})?` : ''}`;
}
