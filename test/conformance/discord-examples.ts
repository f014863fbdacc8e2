import type { DISCORD_TABLES } from '#platforms';
import { ADA, CHANNEL, GUILD } from './discord-receiver';

/** An event, and the content of the message that it becomes. */
export interface Example {
  t: string;
  d: Record<string, unknown>;
  content?: string;
}
type Examples = Readonly<Record<string, Example>>;

const bot = { id: '4242', username: 'gateway_bot', global_name: null, bot: true };
const attachment = {
  id: '1',
  filename: 'cat.png',
  content_type: 'image/png',
  size: 1,
  url: 'https://cdn.example/cat.png',
};
const offer = { id: '5', channel_id: '7001', author: bot, components: [] };
const ids = { user_id: ADA.id, channel_id: '7001', message_id: '5' };

const event = (t: string, d: Record<string, unknown> = {}): Example => ({ t, d });
const message = (fields: Record<string, unknown>, content?: string): Example => ({
  t: 'MESSAGE_CREATE',
  d: fields,
  ...(content !== undefined && { content }),
});
/** A field beside a text, which stays as it is. */
const beside = (field: string, value: unknown): Example => message({ content: 'Hello', [field]: value }, 'Hello');
const component = (fields: Record<string, unknown>, content: string): Example =>
  message({ flags: 1 << 15, components: [fields] }, content);
const interaction = (type: number, data: object): Example =>
  event('INTERACTION_CREATE', {
    id: '8',
    application_id: bot.id,
    type,
    token: 'tap',
    version: 1,
    user: ADA,
    channel: { id: '7001', type: 1 },
    channel_id: '7001',
    data,
  });
const form = (type: number): Example =>
  interaction(5, { custom_id: 'form', components: [{ type: 18, component: { type, custom_id: 'x' } }] });
const embed = {
  type: 'rich',
  author: { name: 'CI' },
  title: 'Build passed',
  url: 'https://ci.example/7',
  description: 'All green',
  fields: [{ name: 'Branch', value: 'main' }],
  footer: { text: 'in 3 minutes' },
};
const EMBED_WORDS = '[embed] CI\nBuild passed (https://ci.example/7)\nAll green\nBranch: main\nin 3 minutes';
const noMembers = { joined_at: '2026-11-28T08:00:00Z', members: [], channels: [] };

const EVENTS: Examples = {
  MESSAGE_CREATE: message({ content: 'Hello' }, 'Hello'),
  INTERACTION_CREATE: {
    ...interaction(3, { component_type: 2, custom_id: 'nine' }),
    content: 'nine',
  },
  MESSAGE_UPDATE: event('MESSAGE_UPDATE', { id: '5', content: 'thirteen', edited_timestamp: '2026-11-28T08:01:00Z' }),
  MESSAGE_DELETE: event('MESSAGE_DELETE', { id: '5', channel_id: '7001' }),
  MESSAGE_DELETE_BULK: event('MESSAGE_DELETE_BULK', { ids: ['5'], channel_id: CHANNEL, guild_id: GUILD }),
  MESSAGE_REACTION_ADD: event('MESSAGE_REACTION_ADD', { ...ids, emoji: { id: null, name: '👍' } }),
  MESSAGE_REACTION_REMOVE: event('MESSAGE_REACTION_REMOVE', { ...ids, emoji: { id: null, name: '👍' } }),
  GUILD_CREATE: event('GUILD_CREATE', { id: '901', name: 'Team', roles: [], ...noMembers }),
  GUILD_DELETE: event('GUILD_DELETE', { id: '901' }),
  GUILD_ROLE_CREATE: event('GUILD_ROLE_CREATE', { guild_id: GUILD, role: { id: '31', tags: { bot_id: bot.id } } }),
  GUILD_ROLE_UPDATE: event('GUILD_ROLE_UPDATE', { guild_id: GUILD, role: { id: '32' } }),
  READY: event('READY', {
    v: 10,
    user: bot,
    guilds: [],
    session_id: 'session-1',
    application: { id: bot.id, flags: 0 },
  }),
};

const COUNTED_EVENTS =
  'MESSAGE_REACTION_REMOVE_ALL MESSAGE_REACTION_REMOVE_EMOJI RESUMED RATE_LIMITED APPLICATION_COMMAND_PERMISSIONS_UPDATE CHANNEL_CREATE CHANNEL_DELETE CHANNEL_INFO CHANNEL_PINS_UPDATE CHANNEL_UPDATE ENTITLEMENT_CREATE ENTITLEMENT_DELETE ENTITLEMENT_UPDATE GUILD_ROLE_DELETE GUILD_UPDATE SUBSCRIPTION_CREATE SUBSCRIPTION_DELETE SUBSCRIPTION_UPDATE STAGE_INSTANCE_CREATE STAGE_INSTANCE_DELETE STAGE_INSTANCE_UPDATE THREAD_CREATE THREAD_DELETE THREAD_LIST_SYNC THREAD_MEMBERS_UPDATE THREAD_MEMBER_UPDATE THREAD_UPDATE USER_UPDATE VOICE_CHANNEL_START_TIME_UPDATE VOICE_CHANNEL_STATUS_UPDATE VOICE_SERVER_UPDATE AUTO_MODERATION_ACTION_EXECUTION AUTO_MODERATION_RULE_CREATE AUTO_MODERATION_RULE_DELETE AUTO_MODERATION_RULE_UPDATE GUILD_AUDIT_LOG_ENTRY_CREATE GUILD_BAN_ADD GUILD_BAN_REMOVE GUILD_EMOJIS_UPDATE GUILD_INTEGRATIONS_UPDATE GUILD_MEMBERS_CHUNK GUILD_MEMBER_ADD GUILD_MEMBER_REMOVE GUILD_MEMBER_UPDATE GUILD_SCHEDULED_EVENT_CREATE GUILD_SCHEDULED_EVENT_DELETE GUILD_SCHEDULED_EVENT_UPDATE GUILD_SCHEDULED_EVENT_USER_ADD GUILD_SCHEDULED_EVENT_USER_REMOVE GUILD_SOUNDBOARD_SOUNDS_UPDATE GUILD_SOUNDBOARD_SOUND_CREATE GUILD_SOUNDBOARD_SOUND_DELETE GUILD_SOUNDBOARD_SOUND_UPDATE GUILD_STICKERS_UPDATE INTEGRATION_CREATE INTEGRATION_DELETE INTEGRATION_UPDATE INVITE_CREATE INVITE_DELETE MESSAGE_POLL_VOTE_ADD MESSAGE_POLL_VOTE_REMOVE PRESENCE_UPDATE SOUNDBOARD_SOUNDS TYPING_START VOICE_CHANNEL_EFFECT_SEND VOICE_STATE_UPDATE WEBHOOKS_UPDATE';

const pollResult = {
  type: 'poll_result',
  fields: [
    { name: 'poll_question_text', value: 'Lunch?' },
    { name: 'victor_answer_votes', value: '3' },
    { name: 'total_votes', value: '5' },
    { name: 'victor_answer_text', value: 'Pizza' },
  ],
};

const TYPES: Examples = {
  Default: message({ type: 0, content: 'Hello' }, 'Hello'),
  Reply: message({ type: 19, content: 'Yes', message_reference: { message_id: '5' }, referenced_message: null }, 'Yes'),
  ChatInputCommand: message({ type: 20, author: { ...bot, id: '4300' }, content: 'Pong' }, 'Pong'),
  ContextMenuCommand: message({ type: 23, author: { ...bot, id: '4300' }, content: 'Pong' }, 'Pong'),
  Call: message({ type: 3, call: { participants: [ADA.id], ended_timestamp: null } }, '[call]'),
  RoleSubscriptionPurchase: message(
    {
      type: 25,
      role_subscription_data: {
        role_subscription_listing_id: '1',
        tier_name: 'Gold',
        total_months_subscribed: 3,
        is_renewal: true,
      },
    },
    '[role subscription] Gold, renewed, months: 3',
  ),
  GuildApplicationPremiumSubscription: message(
    { type: 32, application: { id: '1', name: 'Chess' } },
    '[premium subscription] Chess',
  ),
  PurchaseNotification: message(
    { type: 44, purchase_notification: { type: 0, guild_product_purchase: { listing_id: '1', product_name: 'Mug' } } },
    '[purchase] Mug',
  ),
  PollResult: message({ type: 46, embeds: [pollResult] }, '[poll result] Lunch?: Pizza (3 of 5 votes)'),
  ...Object.fromEntries(
    Object.entries({
      RecipientAdd: 1,
      RecipientRemove: 2,
      ChannelNameChange: 4,
      ChannelIconChange: 5,
      ChannelPinnedMessage: 6,
      UserJoin: 7,
      GuildBoost: 8,
      GuildBoostTier1: 9,
      GuildBoostTier2: 10,
      GuildBoostTier3: 11,
      ChannelFollowAdd: 12,
      GuildDiscoveryDisqualified: 14,
      GuildDiscoveryRequalified: 15,
      GuildDiscoveryGracePeriodInitialWarning: 16,
      GuildDiscoveryGracePeriodFinalWarning: 17,
      ThreadCreated: 18,
      ThreadStarterMessage: 21,
      GuildInviteReminder: 22,
      AutoModerationAction: 24,
      InteractionPremiumUpsell: 26,
      StageStart: 27,
      StageEnd: 28,
      StageSpeaker: 29,
      StageRaiseHand: 30,
      StageTopic: 31,
      GuildIncidentAlertModeEnabled: 36,
      GuildIncidentAlertModeDisabled: 37,
      GuildIncidentReportRaid: 38,
      GuildIncidentReportFalseAlarm: 39,
    }).map(([name, type]) => [name, message({ type })]),
  ),
};

const forwarded = { content: 'Old news', embeds: [embed], attachments: [attachment] };

const FIELDS: Examples = {
  content: message({ content: 'Hello <@41>', mentions: [ADA] }, 'Hello @ada'),
  attachments: message({ attachments: [attachment], content: 'Look' }, '[image cat.png] Look'),
  sticker_items: message({ sticker_items: [{ id: '1', name: 'Wave', format_type: 1 }] }, '[sticker Wave]'),
  poll: message(
    {
      poll: {
        question: { text: 'Lunch?' },
        answers: [
          { answer_id: 1, poll_media: { text: 'Pizza' } },
          { answer_id: 2, poll_media: { emoji: { name: '🥗' } } },
        ],
      },
    },
    '[poll] Lunch? Pizza / 🥗',
  ),
  message_snapshots: message(
    { message_snapshots: [{ message: forwarded }] },
    `[forwarded] [image cat.png] Old news\n${EMBED_WORDS}`,
  ),
  embeds: message({ content: 'Done', embeds: [embed] }, `Done\n${EMBED_WORDS}`),
  components: message({ content: 'When?', components: [{ type: 10, content: 'Now' }] }, 'When?\nNow'),
  activity: message(
    { activity: { type: 1, party_id: 'p' }, application: { id: '1', name: 'Chess' } },
    '[invitation] Chess',
  ),
  shared_client_theme: message(
    { shared_client_theme: { colors: ['112233', '445566'], gradient_angle: 0, base_mix: 50 } },
    '[theme] #112233, #445566',
  ),
  id: beside('id', '99'),
  channel_id: beside('channel_id', '7001'),
  guild_id: message({ content: 'Hello', guild_id: GUILD, channel_id: CHANNEL }, 'Hello'),
  channel_type: beside('channel_type', 1),
  author: beside('author', ADA),
  member: beside('member', { nick: 'Countess' }),
  timestamp: beside('timestamp', '2026-11-28T08:00:00Z'),
  edited_timestamp: beside('edited_timestamp', '2026-11-28T08:01:00Z'),
  tts: beside('tts', true),
  mention_everyone: beside('mention_everyone', true),
  mentions: beside('mentions', [ADA]),
  mention_roles: beside('mention_roles', ['31']),
  mention_channels: beside('mention_channels', [{ id: CHANNEL, guild_id: GUILD, type: 0, name: 'general' }]),
  reactions: beside('reactions', [{ count: 1, me: false, emoji: { name: '👍' } }]),
  nonce: beside('nonce', '7'),
  pinned: beside('pinned', true),
  webhook_id: beside('webhook_id', '5'),
  type: beside('type', 0),
  application: beside('application', { id: '1', name: 'Chess' }),
  application_id: beside('application_id', '1'),
  message_reference: beside('message_reference', { message_id: '5', channel_id: '7001' }),
  referenced_message: beside('referenced_message', { id: '5', author: bot, content: 'Before' }),
  flags: beside('flags', 0),
  interaction_metadata: beside('interaction_metadata', { id: '1', type: 2, user: ADA }),
  interaction: beside('interaction', { id: '1', type: 2, name: 'ping', user: ADA }),
  thread: beside('thread', { id: '99', type: 11, name: 'More' }),
  stickers: beside('stickers', []),
  position: beside('position', 3),
  role_subscription_data: beside('role_subscription_data', { tier_name: 'Gold' }),
  resolved: beside('resolved', {}),
  call: beside('call', { participants: [] }),
};

const flagged = (bit: number): Example => beside('flags', bit);
const FLAGS: Examples = {
  Crossposted: flagged(1),
  IsCrosspost: flagged(2),
  SuppressEmbeds: flagged(4),
  SourceMessageDeleted: event('MESSAGE_UPDATE', {
    id: '5',
    channel_id: CHANNEL,
    content: '[Original Message Deleted]',
    flags: 2 | 8,
    edited_timestamp: null,
  }),
  Urgent: flagged(16),
  HasThread: flagged(32),
  Ephemeral: flagged(64),
  Loading: message({ flags: 128, author: { ...bot, id: '4300' } }),
  FailedToMentionSomeRolesInThread: flagged(256),
  ShouldShowLinkNotDiscordWarning: flagged(1_024),
  SuppressNotifications: flagged(4_096),
  IsVoiceMessage: message(
    { flags: 8_192, attachments: [{ ...attachment, filename: 'v.ogg', content_type: 'audio/ogg', duration_secs: 3 }] },
    '[voice message]',
  ),
  HasSnapshot: message(
    { flags: 16_384, message_snapshots: [{ message: { content: 'Old news' } }] },
    '[forwarded] Old news',
  ),
  IsComponentsV2: message({ flags: 32_768, components: [{ type: 10, content: 'Now' }] }, 'Now'),
};

const nine = { type: 2, style: 1, custom_id: 'nine', label: 'Nine' };
const page = { type: 2, style: 5, url: 'https://a.example', label: 'Page' };
const text = (content: string) => ({ type: 10, content });
const menuOf = (type: number): Example =>
  component({ type: 1, components: [{ type, custom_id: 'x', placeholder: 'Choose' }] }, '[menu Choose]');

const COMPONENTS: Examples = {
  ActionRow: component({ type: 1, components: [nine, page] }, '[button Nine] [button Page (https://a.example)]'),
  Button: component({ type: 1, components: [{ type: 2, style: 1, emoji: { name: '👍' } }] }, '[button 👍]'),
  StringSelect: component(
    {
      type: 1,
      components: [{ type: 3, custom_id: 'x', placeholder: 'When', options: [{ label: 'Nine' }, { label: 'Ten' }] }],
    },
    '[menu When: Nine / Ten]',
  ),
  UserSelect: menuOf(5),
  RoleSelect: menuOf(6),
  MentionableSelect: menuOf(7),
  ChannelSelect: menuOf(8),
  Section: component(
    { type: 9, components: [text('Shoes'), text('Blue')], accessory: nine },
    'Shoes\nBlue\n[button Nine]',
  ),
  TextDisplay: component(text('Shoes for <@41>'), 'Shoes for <@41>'),
  Thumbnail: component(
    {
      type: 9,
      components: [text('Shoes')],
      accessory: { type: 11, media: { url: 'https://a.example' }, description: 'Blue' },
    },
    'Shoes\n[image Blue]',
  ),
  MediaGallery: component(
    { type: 12, items: [{ description: 'Blue' }, { description: null }] },
    '[image Blue]\n[image]',
  ),
  File: component({ type: 13, file: { url: 'attachment://a.pdf' }, name: 'a.pdf' }, '[document a.pdf]'),
  Separator: message({ components: [text('One'), { type: 14 }, text('Two')] }, 'One\nTwo'),
  ContentInventoryEntry: component({ type: 16 }, '[activity]'),
  Container: component(
    { type: 17, components: [text('Shoes'), { type: 1, components: [nine] }] },
    'Shoes\n[button Nine]',
  ),
  TextInput: form(4),
  Label: form(4),
  FileUpload: form(19),
  RadioGroup: form(21),
  CheckboxGroup: form(22),
  Checkbox: form(23),
};

const INTERACTIONS: Examples = {
  Ping: interaction(1, {}),
  ApplicationCommand: interaction(2, { id: '1', name: 'ping', type: 1 }),
  MessageComponent: { ...interaction(3, { component_type: 2, custom_id: 'nine' }), content: 'nine' },
  ApplicationCommandAutocomplete: interaction(4, { id: '1', name: 'ping', type: 1 }),
  ModalSubmit: interaction(5, { custom_id: 'form', components: [] }),
};

/** An example of each row, by the title of its table. */
export const EXAMPLES: Readonly<Record<(typeof DISCORD_TABLES)[number]['title'], Examples>> = {
  'Events of the gateway': { ...EVENTS, ...Object.fromEntries(COUNTED_EVENTS.split(' ').map((t) => [t, event(t)])) },
  'Types of messages': TYPES,
  'Fields of a message': FIELDS,
  'Flags of a message': FLAGS,
  'Types of components': COMPONENTS,
  'Types of interactions': INTERACTIONS,
};

for (const examples of Object.values(EXAMPLES))
  for (const example of Object.values(examples)) if (example.t === 'INTERACTION_CREATE') example.d['message'] = offer;
