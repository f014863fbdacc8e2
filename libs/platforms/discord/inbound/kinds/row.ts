import type { InboundOutcome, InboundRow, InboundTable } from '../../../inbound-table';

/** How the gateway handles one kind of event, message, field or component. */
export interface Row {
  becomes: InboundOutcome;
  /** The form of the words, or a remark, for docs/platforms.md. */
  form?: string;
}

export const COUNTED: Row = { becomes: 'counted' };
export const PART: Row = { becomes: 'part' };

/** @param rows by the kind's name */
export function tableOf(title: string, rows: Readonly<Record<string, Row>>): InboundTable {
  return {
    platform: 'discord',
    title,
    source: 'API v10 (discord-api-types 0.38.57)',
    rows: Object.entries(rows).map(([kind, row]) => rowOf(kind, row)),
  };
}

/** Rows of a numbered enumeration, by their names. */
export function named<Numbered extends Row & { name: string }>(
  rows: Readonly<Record<number, Numbered>>,
): Record<string, Row> {
  return Object.fromEntries(Object.values(rows).map((row) => [row.name, row]));
}

function rowOf(kind: string, { becomes, form }: Row): InboundRow {
  return { kind, becomes, ...(form !== undefined && { words: form }) };
}
