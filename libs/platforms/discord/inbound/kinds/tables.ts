import type { InboundTable } from '../../../inbound-table';
import { COMPONENTS } from './components';
import { EVENTS } from './events';
import { FLAGS } from './flags';
import { INTERACTIONS } from './interactions';
import { MESSAGE_FIELDS } from './message-fields';
import { MESSAGE_TYPES } from './message-types';
import { named, tableOf } from './row';

/** Everything that Discord sends to a bot with the gateway's intents. */
export const DISCORD_TABLES: readonly InboundTable[] = [
  tableOf('Events of the gateway', EVENTS),
  tableOf('Types of messages', named(MESSAGE_TYPES)),
  tableOf('Fields of a message', MESSAGE_FIELDS),
  tableOf('Flags of a message', FLAGS),
  tableOf('Types of components', named(COMPONENTS)),
  tableOf('Types of interactions', named(INTERACTIONS)),
];
