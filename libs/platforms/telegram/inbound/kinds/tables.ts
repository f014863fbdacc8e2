import type { InboundTable } from '../../../inbound-table';
import { MESSAGE_ROWS, SOURCE } from './message-fields';
import { UPDATE_ROWS } from './update-kinds';

/** Everything that Telegram sends to a bot. */
export const TELEGRAM_TABLES: readonly InboundTable[] = [
  { platform: 'telegram', title: 'Fields of `Update`', source: SOURCE, rows: UPDATE_ROWS },
  { platform: 'telegram', title: 'Fields of `Message`', source: SOURCE, rows: MESSAGE_ROWS },
];
