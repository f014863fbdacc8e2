import type { TelegramMessage } from '@gramio/types/objects';
import type { InboundRow } from '../../../inbound-table';
import { ACTIONS } from './actions';
import { CONTENTS } from './contents';
import type { ContentRow, FieldRow } from './field-row';
import { PARTS, SERVICES } from './services';

/** Bot API 10.3, as @gramio/types 10.3.1 has it from https://core.telegram.org/bots/api: the compiler names a field that is missing here. */
export const SOURCE = 'Bot API 10.3 (@gramio/types 10.3.1)';

/** Everything that a message may have, in the order in which its kind is looked for. */
export const MESSAGE_FIELDS: Readonly<Record<keyof TelegramMessage, FieldRow>> = {
  ...CONTENTS,
  ...ACTIONS,
  ...SERVICES,
  ...PARTS,
};

const rows = Object.entries(MESSAGE_FIELDS) as [keyof TelegramMessage, FieldRow][];

export const CONTENT_FIELDS = rows.filter((row): row is [keyof TelegramMessage, ContentRow] => {
  return row[1].becomes === 'message';
});
export const COUNTED_FIELDS = rows.filter(([, { becomes }]) => becomes === 'counted').map(([field]) => field);

/** The rows for docs/platforms.md. */
export const MESSAGE_ROWS: readonly InboundRow[] = rows.map(([kind, row]) => ({
  kind,
  becomes: row.becomes,
  ...wordsOf(row),
}));

function wordsOf(row: FieldRow): Pick<InboundRow, 'words'> {
  const label = 'label' in row && row.label !== undefined ? `\`[${row.label}]\`` : undefined;
  const words = [label, row.form].filter((word) => word !== undefined).join(' ');
  const unanswered = row.becomes === 'message' && row.expectsReply === false ? '; not answered' : '';
  return words === '' ? {} : { words: words + unanswered };
}
