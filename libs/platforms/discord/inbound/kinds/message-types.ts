import type { APIEmbed, APIMessage, MessageType } from 'discord.js';
import { COUNTED, type Row } from './row';

/** The fields that the labels of messages read. */
type Facts = Partial<Pick<APIMessage, 'application' | 'embeds' | 'role_subscription_data'>> & {
  /** discord-api-types omits the field. */
  purchase_notification?: { guild_product_purchase?: { product_name?: string } | null };
};

export interface TypeRow extends Row {
  name: string;
  /** Shown in brackets before the words. Missing: the message shows what its author wrote. */
  label?: string;
  words?(message: Facts): string | undefined;
}

const written = (name: string, form: string): TypeRow => ({ name, becomes: 'message', form });
const counted = (name: string): TypeRow => ({ name, ...COUNTED });

/** https://discord.com/developers/docs/resources/message#message-object-message-types */
export const MESSAGE_TYPES: Readonly<Record<MessageType, TypeRow>> = {
  0: written('Default', 'see the fields of a message'),
  19: written('Reply', 'its words and the quotation'),
  20: written('ChatInputCommand', 'the answer of another bot to a command'),
  23: written('ContextMenuCommand', 'the answer of another bot to a command'),
  3: { name: 'Call', becomes: 'message', label: 'call', form: '[call], not answered' },
  25: {
    name: 'RoleSubscriptionPurchase',
    becomes: 'message',
    label: 'role subscription',
    words: ({ role_subscription_data: bought }) =>
      bought &&
      `${bought.tier_name}, ${bought.is_renewal ? 'renewed' : 'new'}, months: ${bought.total_months_subscribed}`,
    form: '[role subscription] tier, new, months: 1; not answered',
  },
  32: {
    name: 'GuildApplicationPremiumSubscription',
    becomes: 'message',
    label: 'premium subscription',
    words: ({ application }) => application?.name,
    form: '[premium subscription] application; not answered',
  },
  44: {
    name: 'PurchaseNotification',
    becomes: 'message',
    label: 'purchase',
    words: ({ purchase_notification: bought }) => bought?.guild_product_purchase?.product_name,
    form: '[purchase] product; not answered',
  },
  46: {
    name: 'PollResult',
    becomes: 'message',
    label: 'poll result',
    words: ({ embeds }) => resultOf(embeds?.[0]),
    form: '[poll result] question: answer (3 of 5 votes); not answered',
  },
  1: counted('RecipientAdd'),
  2: counted('RecipientRemove'),
  4: counted('ChannelNameChange'),
  5: counted('ChannelIconChange'),
  6: counted('ChannelPinnedMessage'),
  7: counted('UserJoin'),
  8: counted('GuildBoost'),
  9: counted('GuildBoostTier1'),
  10: counted('GuildBoostTier2'),
  11: counted('GuildBoostTier3'),
  12: counted('ChannelFollowAdd'),
  14: counted('GuildDiscoveryDisqualified'),
  15: counted('GuildDiscoveryRequalified'),
  16: counted('GuildDiscoveryGracePeriodInitialWarning'),
  17: counted('GuildDiscoveryGracePeriodFinalWarning'),
  18: counted('ThreadCreated'),
  21: counted('ThreadStarterMessage'),
  22: counted('GuildInviteReminder'),
  24: counted('AutoModerationAction'),
  26: counted('InteractionPremiumUpsell'),
  27: counted('StageStart'),
  28: counted('StageEnd'),
  29: counted('StageSpeaker'),
  30: counted('StageRaiseHand'),
  31: counted('StageTopic'),
  36: counted('GuildIncidentAlertModeEnabled'),
  37: counted('GuildIncidentAlertModeDisabled'),
  38: counted('GuildIncidentReportRaid'),
  39: counted('GuildIncidentReportFalseAlarm'),
};

/** Undefined for a type that is new at Discord. */
export function typeRowOf(type: number | undefined): TypeRow | undefined {
  return (MESSAGE_TYPES as Readonly<Record<number, TypeRow>>)[type ?? 0];
}

/** https://discord.com/developers/docs/resources/message#embed-fields-by-embed-type-poll-result-embed-fields */
function resultOf(embed: APIEmbed | undefined): string | undefined {
  if (!embed) return undefined;
  const fields = new Map((embed.fields ?? []).map(({ name, value }) => [name, value]));
  const winner = fields.get('victor_answer_text') ?? fields.get('victor_answer_emoji_name') ?? 'no answer won';
  const votes = `(${fields.get('victor_answer_votes') ?? 0} of ${fields.get('total_votes') ?? 0} votes)`;
  return [`${fields.get('poll_question_text') ?? ''}:`, winner, votes].join(' ');
}
