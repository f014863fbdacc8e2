import {
  type APIButtonComponent,
  ButtonStyle,
  ComponentType,
  type RESTPostAPIChannelMessageJSONBody,
} from 'discord.js';
import type { Interactive, InteractiveOption } from '../../interactive.port';
import { keyOf } from '../../interactive';

/** The most bytes of a `custom_id`, and of the value of a menu's option. */
const MOST_BYTES = 100;
const BUTTONS_IN_ROW = 5;
/** The id of a menu; the chosen option is in its values. */
const MENU = 'options';

type Components = NonNullable<RESTPostAPIChannelMessageJSONBody['components']>;

/** A list without links becomes a menu, everything else becomes buttons: https://discord.com/developers/docs/components/reference */
export function componentsOf({ type, options, button }: Interactive): Components {
  if (type === 'list' && options.every(({ url }) => url === undefined)) {
    const choices = options.map((option, index) => ({
      label: option.title,
      value: keyOf(option, index, MOST_BYTES),
      ...(option.description && { description: option.description }),
    }));
    const menu = { type: ComponentType.StringSelect, custom_id: MENU, options: choices } as const;
    return [{ type: ComponentType.ActionRow, components: [{ ...menu, ...(button && { placeholder: button }) }] }];
  }
  const buttons = options.map(buttonOf);
  const rows = Array.from({ length: Math.ceil(buttons.length / BUTTONS_IN_ROW) }, (_, row) =>
    buttons.slice(row * BUTTONS_IN_ROW, (row + 1) * BUTTONS_IN_ROW),
  );
  return rows.map((components) => ({ type: ComponentType.ActionRow, components }));
}

function buttonOf(option: InteractiveOption, index: number): APIButtonComponent {
  const { title: label, url } = option;
  if (url !== undefined) return { type: ComponentType.Button, style: ButtonStyle.Link, label, url };
  const custom_id = keyOf(option, index, MOST_BYTES);
  return { type: ComponentType.Button, style: ButtonStyle.Secondary, label, custom_id };
}
