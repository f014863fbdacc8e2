import type { InboundOutcome, InboundRow, InboundTable } from '#platforms';

const NAMES: Readonly<Record<InboundTable['platform'], string>> = {
  telegram: 'Telegram',
  whatsapp: 'WhatsApp',
  discord: 'Discord',
};

const OUTCOMES: readonly (readonly [Exclude<InboundOutcome, 'part'>, string])[] = [
  ['message', 'stored as an inbound message, with `message.received`'],
  ['change', 'an edit or deletion of a stored message, or a new id of its conversation'],
  ['reaction', 'stored with the message that it is about'],
  ['receipt', 'moves the status of an outbound message'],
  ['notice', 'about the account: `integration.notice`'],
  ['counted', 'left out: counted in `gateway_updates_ignored_total{platform, kind}` and logged at debug'],
];

/** docs/platforms.md: what each platform sends, and what becomes of it. */
export function platformsPage(tables: readonly InboundTable[]): string {
  const platforms = [...new Set(tables.map(({ platform }) => platform))];
  const sections = platforms.flatMap((platform) => [
    `## ${NAMES[platform]}`,
    ...tables.filter((table) => table.platform === platform).flatMap(sectionOf),
  ]);
  return `${[
    '# What people send',
    'Every kind of what a platform sends, and what becomes of it. `npm run docs:platforms` writes this page from the tables of the code.',
    'A kind that is in none of the tables is stored as a message `[unsupported message: <kind>]`, which the assistant does not answer.',
    OUTCOMES.map(([outcome, meaning]) => `- **${outcome}**: ${meaning}`).join('\n'),
    ...sections,
  ].join('\n\n')}\n`;
}

function sectionOf({ title, source, rows }: InboundTable): string[] {
  const kinds = rows.filter(({ becomes }) => becomes !== 'part');
  const counted = kinds.filter(({ becomes, words }) => becomes === 'counted' && words === undefined);
  const shown = kinds.filter((row) => !counted.includes(row));
  const parts = rows.filter(({ becomes }) => becomes === 'part');
  return [
    `### ${title}`,
    `${source}: ${rows.length} rows.`,
    tableOf(shown),
    ...(counted.length > 0 ? [`Counted too: ${namesOf(counted)}.`] : []),
    ...(parts.length > 0 ? [`These describe the message that they are in: ${namesOf(parts)}.`] : []),
  ];
}

function tableOf(rows: readonly InboundRow[]): string {
  const lines = rows.map(({ kind, becomes, words = '' }) => `| \`${kind}\` | ${becomes} | ${cell(words)} |`);
  return ['| Kind | Becomes | Words |', '| --- | --- | --- |', ...lines].join('\n');
}

function namesOf(rows: readonly InboundRow[]): string {
  return rows.map(({ kind }) => `\`${kind}\``).join(', ');
}

function cell(words: string): string {
  return words.replaceAll('|', '\\|');
}
