import { type APIInteraction, ComponentType, InteractionType } from 'discord.js';
import type { InboundMessage } from '../../platform.port';
import { choiceOf } from '../../interactive';
import { isSnowflake } from '../snowflake';
import { ofUser } from './participants';

/** The chosen option; undefined for an interaction that is no tap on a button or a menu of ours. */
export function readInteraction(
  interaction: APIInteraction,
  guild: { name: string | null } | undefined,
): InboundMessage | undefined {
  if (interaction.type !== InteractionType.MessageComponent) return undefined;
  const { id, data, message } = interaction;
  const user = interaction.user ?? interaction.member?.user;
  const channelId = interaction.channel?.id ?? message?.channel_id;
  const key = data.component_type === ComponentType.Button ? data.custom_id : data.values?.[0];
  if (!user || key === undefined || ![id, user.id, channelId, message?.id].every(isSnowflake)) return undefined;
  const title = titleOf(message, key);
  const sender = ofUser(user);
  const participant = guild ? { id: channelId, name: guild.name, username: null } : sender;
  return {
    platformMessageId: `interaction:${id}`,
    participant,
    sender,
    content: title,
    kind: 'text',
    sentAt: new Date(),
    interactiveReply: { ...choiceOf(key), title, platformMessageId: message.id },
    ...(guild ? { mentionsBot: true, answerAsReply: false } : { address: channelId }),
  };
}

/** The words on the button or the menu's row; the key if the message does not contain them. */
function titleOf(message: { components?: unknown }, key: string): string {
  const parts = (message.components as Part[] | undefined)?.flatMap(({ components = [] }) => components) ?? [];
  const rows = parts.flatMap(({ options = [] }) => options);
  return parts.find((part) => part.custom_id === key)?.label ?? rows.find(({ value }) => value === key)?.label ?? key;
}

interface Part {
  custom_id?: string;
  label?: string;
  components?: Part[];
  options?: { value?: string; label?: string }[];
}
