import type { Statistics } from '#client';

/** The timeline as CSV (RFC 4180). */
function csvOf({ timeline }: Statistics): string {
  const hasHours = timeline.some(({ hour }) => hour !== undefined);
  const header = `${hasHours ? 'date,hour' : 'date'},messages,tokens,cost_usd`;
  const rows = timeline.map(({ date, hour, messages, tokens, cost_usd }) =>
    [...(hasHours ? [date, hour] : [date]), messages, tokens, cost_usd].join(','),
  );
  return [header, ...rows, ''].join('\r\n');
}

export function downloadCsv(statistics: Statistics, name: string): void {
  const url = URL.createObjectURL(new Blob([csvOf(statistics)], { type: 'text/csv' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
