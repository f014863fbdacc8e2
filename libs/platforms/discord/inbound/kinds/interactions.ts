import type { InteractionType } from 'discord.js';
import { COUNTED, type Row } from './row';

/** https://discord.com/developers/docs/interactions/receiving-and-responding#interaction-object-interaction-type */
export const INTERACTIONS: Readonly<Record<InteractionType, Row & { name: string }>> = {
  1: { name: 'Ping', ...COUNTED },
  2: { name: 'ApplicationCommand', becomes: 'counted', form: 'the bot has no commands' },
  3: { name: 'MessageComponent', becomes: 'message', form: 'the title of the button or row that the person chose' },
  4: { name: 'ApplicationCommandAutocomplete', ...COUNTED },
  5: { name: 'ModalSubmit', becomes: 'counted', form: 'the gateway shows no forms' },
};
