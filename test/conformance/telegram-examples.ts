import type { TelegramMessage } from '@gramio/types/objects';
import type { UpdateKind } from '../../libs/platforms/telegram/inbound/kinds/update-kinds';

const ada = { id: 41, is_bot: false, first_name: 'Ada' };
const bot = { id: 4242, is_bot: true, first_name: 'Gateway' };
const chat = { id: 41, type: 'private', first_name: 'Ada' };
const team = { id: -100_10, type: 'supergroup', title: 'Team' };
const day = 1_795_860_000;
const file = (file_id: string) => ({ file_id, file_unique_id: file_id });
const photo = [{ ...file('small'), width: 90, height: 45 }];
const place = { latitude: 52.5, longitude: 13.4 };
const checklist = {
  title: 'Move in',
  tasks: [
    { id: 1, text: 'Keys', completion_date: day },
    { id: 2, text: 'Meter reading' },
  ],
};
const payment = { currency: 'EUR', total_amount: 1999, invoice_payload: 'order-17', telegram_payment_charge_id: 't' };
const earlier = { message_id: 2, date: day, chat, from: bot, text: 'Opening 9.' };

/** Fields of a message, and the content that it then has. A message without content is counted. */
type MessageExample = [fields: Record<string, unknown>, content?: string];

/** A field beside a text, which stays as it is. */
const beside = (field: keyof TelegramMessage, value: unknown): MessageExample => [
  { text: 'Hello', [field]: value },
  'Hello',
];
const service = (field: keyof TelegramMessage, value: unknown = {}): MessageExample => [{ [field]: value }];

/** An example of each field that a message may have. */
export const MESSAGE_EXAMPLES: Readonly<Record<keyof TelegramMessage, MessageExample>> = {
  text: [{ text: 'Hello' }, 'Hello'],
  rich_message: [
    { rich_message: { blocks: [{ type: 'paragraph', text: ['a ', { type: 'bold', text: 'b' }] }] } },
    'a b',
  ],
  live_photo: [{ live_photo: { ...file('live'), photo }, photo, caption: 'Look' }, '[live photo] Look'],
  photo: [{ photo, caption: 'Look' }, '[photo] Look'],
  video: [{ video: file('v') }, '[video]'],
  animation: [{ animation: file('a'), document: file('a') }, '[animation]'],
  video_note: [{ video_note: { ...file('n'), length: 240 } }, '[video message]'],
  voice: [{ voice: { ...file('o'), duration: 3 } }, '[voice message]'],
  audio: [{ audio: { ...file('u'), performer: 'Nina', title: 'Song' } }, '[audio] Nina Song'],
  document: [{ document: { ...file('d'), file_name: 'bill.pdf' }, caption: 'Read' }, '[document] bill.pdf Read'],
  sticker: [{ sticker: { ...file('s'), emoji: '😀' } }, '[sticker] 😀'],
  paid_media: [
    { paid_media: { star_count: 5, paid_media: [{ type: 'preview' }] }, caption: 'exclusive' },
    '[paid media] 5 Stars: preview exclusive',
  ],
  venue: [
    { location: place, venue: { location: place, title: 'Bar', address: 'Street 1' } },
    '[venue] Bar Street 1 52.5, 13.4',
  ],
  location: [{ location: place }, '[location] 52.5, 13.4'],
  contact: [{ contact: { first_name: 'Bob', phone_number: '+49' } }, '[contact] Bob +49'],
  poll: [{ poll: { question: 'When?', options: [{ text: 'Now' }, { text: 'Later' }] } }, '[poll] When? Now / Later'],
  checklist: [{ checklist }, '[checklist] Move in: Keys (done) / Meter reading'],
  dice: [{ dice: { emoji: '🎲', value: 3 } }, '[dice] 🎲 3'],
  game: [{ game: { title: 'Chess', description: 'For two', photo } }, '[game] Chess'],
  story: [{ story: { chat: team, id: 5 } }, '[story]'],
  giveaway: [
    {
      giveaway: {
        chats: [team],
        winners_selection_date: day,
        winner_count: 3,
        prize_description: 'T-shirt',
        prize_star_count: 500,
      },
    },
    '[giveaway] 3 winners on 2026-11-28: T-shirt, 500 Stars',
  ],
  giveaway_winners: [
    { giveaway_winners: { chat: team, winner_count: 2, winners: [ada], premium_subscription_month_count: 3 } },
    '[giveaway winners] 2: Ada, Telegram Premium for 3 months',
  ],
  invoice: [
    { invoice: { title: 'Shoes', description: 'Blue', start_parameter: '', currency: 'JPY', total_amount: 1999 } },
    '[invoice] Shoes Blue (1999 JPY)',
  ],
  successful_payment: [{ successful_payment: payment }, '[payment] 19.99 EUR for order-17'],
  refunded_payment: [
    { refunded_payment: { ...payment, currency: 'XTR', total_amount: 50 } },
    '[payment refunded] 50 Stars for order-17',
  ],
  web_app_data: [
    { web_app_data: { button_text: 'Choose size', data: '{"size":"M"}' } },
    '[web app] Choose size: {"size":"M"}',
  ],
  users_shared: [
    {
      users_shared: {
        request_id: 1,
        users: [{ user_id: 5551, first_name: 'Mia', username: 'mia' }, { user_id: 5552 }],
      },
    },
    '[users shared] Mia @mia (5551), (5552)',
  ],
  chat_shared: [{ chat_shared: { request_id: 1, chat_id: -7, title: 'Depot' } }, '[chat shared] Depot (-7)'],
  passport_data: [
    {
      passport_data: {
        data: [
          { type: 'passport', hash: 'h' },
          { type: 'email', hash: 'h' },
        ],
        credentials: {},
      },
    },
    '[passport data] passport, email',
  ],
  gift: [{ gift: { gift: { id: '1', star_count: 15 }, text: 'For you' } }, '[gift] 15 Stars For you'],
  unique_gift: [{ unique_gift: { gift: { base_name: 'Hat', number: 7 } } }, '[unique gift] Hat #7'],
  gift_upgrade_sent: [{ gift_upgrade_sent: { gift: { id: '1', star_count: 15 } } }, '[gift upgrade]'],
  checklist_tasks_done: [
    {
      checklist_tasks_done: {
        checklist_message: { checklist },
        marked_as_done_task_ids: [2],
        marked_as_not_done_task_ids: [9],
      },
    },
    '[checklist changed] Move in: Meter reading (done) / task 9 (not done)',
  ],
  checklist_tasks_added: [
    { checklist_tasks_added: { tasks: [{ id: 3, text: 'Curtains' }] } },
    '[checklist changed] Curtains (added)',
  ],
  giveaway_created: [{ giveaway_created: { prize_star_count: 500 } }, '[giveaway created] 500 Stars'],
  giveaway_completed: [{ giveaway_completed: { winner_count: 3 } }, '[giveaway completed] 3 winners'],

  migrate_to_chat_id: service('migrate_to_chat_id', -100_11),
  migrate_from_chat_id: service('migrate_from_chat_id', -10),
  new_chat_members: service('new_chat_members', [ada]),
  left_chat_member: service('left_chat_member', ada),
  chat_owner_left: service('chat_owner_left'),
  chat_owner_changed: service('chat_owner_changed', { new_owner: ada }),
  new_chat_title: service('new_chat_title', 'Depot'),
  new_chat_photo: service('new_chat_photo', photo),
  delete_chat_photo: service('delete_chat_photo', true),
  group_chat_created: service('group_chat_created', true),
  supergroup_chat_created: service('supergroup_chat_created', true),
  channel_chat_created: service('channel_chat_created', true),
  message_auto_delete_timer_changed: service('message_auto_delete_timer_changed', { message_auto_delete_time: 86_400 }),
  pinned_message: service('pinned_message', earlier),
  connected_website: service('connected_website', 'example.org'),
  write_access_allowed: service('write_access_allowed'),
  proximity_alert_triggered: service('proximity_alert_triggered', { traveler: ada, watcher: ada, distance: 5 }),
  boost_added: service('boost_added', { boost_count: 1 }),
  chat_background_set: service('chat_background_set', { type: { type: 'chat_theme', theme_name: '🐥' } }),
  community_chat_added: service('community_chat_added'),
  community_chat_joined: service('community_chat_joined'),
  community_chat_removed: service('community_chat_removed'),
  direct_message_price_changed: service('direct_message_price_changed', { are_direct_messages_enabled: true }),
  forum_topic_created: service('forum_topic_created', { name: 'Orders', icon_color: 0 }),
  forum_topic_edited: service('forum_topic_edited', { name: 'Orders' }),
  forum_topic_closed: service('forum_topic_closed'),
  forum_topic_reopened: service('forum_topic_reopened'),
  general_forum_topic_hidden: service('general_forum_topic_hidden'),
  general_forum_topic_unhidden: service('general_forum_topic_unhidden'),
  managed_bot_created: service('managed_bot_created', { bot }),
  paid_message_price_changed: service('paid_message_price_changed', { paid_message_star_count: 1 }),
  poll_option_added: service('poll_option_added', { option_persistent_id: 'a', option_text: 'Never' }),
  poll_option_deleted: service('poll_option_deleted', { option_persistent_id: 'a', option_text: 'Never' }),
  suggested_post_approved: service('suggested_post_approved', { send_date: day }),
  suggested_post_approval_failed: service('suggested_post_approval_failed', { price: { currency: 'XTR', amount: 1 } }),
  suggested_post_declined: service('suggested_post_declined', { comment: 'Later' }),
  suggested_post_paid: service('suggested_post_paid', { currency: 'XTR', amount: 5 }),
  suggested_post_refunded: service('suggested_post_refunded', { reason: 'post_deleted' }),
  video_chat_scheduled: service('video_chat_scheduled', { start_date: day }),
  video_chat_started: service('video_chat_started'),
  video_chat_ended: service('video_chat_ended', { duration: 60 }),
  video_chat_participants_invited: service('video_chat_participants_invited', { users: [ada] }),

  message_id: beside('message_id', 8),
  message_thread_id: beside('message_thread_id', 44),
  direct_messages_topic: beside('direct_messages_topic', { topic_id: 1 }),
  from: beside('from', ada),
  sender_chat: beside('sender_chat', team),
  sender_boost_count: beside('sender_boost_count', 2),
  sender_business_bot: beside('sender_business_bot', bot),
  sender_tag: beside('sender_tag', 'driver'),
  receiver_user: beside('receiver_user', bot),
  ephemeral_message_id: beside('ephemeral_message_id', 3),
  date: beside('date', day),
  guest_query_id: beside('guest_query_id', 'q'),
  business_connection_id: beside('business_connection_id', 'b'),
  chat: beside('chat', chat),
  forward_origin: beside('forward_origin', { type: 'user', date: day, sender_user: ada }),
  is_topic_message: beside('is_topic_message', true),
  is_automatic_forward: beside('is_automatic_forward', true),
  reply_to_message: beside('reply_to_message', earlier),
  external_reply: beside('external_reply', { origin: { type: 'user', date: day, sender_user: ada }, photo }),
  quote: beside('quote', { text: 'Opening', position: 0 }),
  reply_to_story: beside('reply_to_story', { chat: team, id: 5 }),
  reply_to_checklist_task_id: beside('reply_to_checklist_task_id', 1),
  reply_to_poll_option_id: beside('reply_to_poll_option_id', 'a'),
  via_bot: beside('via_bot', bot),
  guest_bot_caller_user: beside('guest_bot_caller_user', ada),
  guest_bot_caller_chat: beside('guest_bot_caller_chat', team),
  edit_date: beside('edit_date', day),
  has_protected_content: beside('has_protected_content', true),
  is_from_offline: beside('is_from_offline', true),
  is_paid_post: beside('is_paid_post', true),
  media_group_id: beside('media_group_id', '5'),
  author_signature: beside('author_signature', 'Ada'),
  paid_star_count: beside('paid_star_count', 1),
  entities: beside('entities', [{ type: 'bold', offset: 0, length: 5 }]),
  link_preview_options: beside('link_preview_options', { is_disabled: true }),
  suggested_post_info: beside('suggested_post_info', { state: 'pending' }),
  effect_id: beside('effect_id', '1'),
  caption: [{ photo, caption: 'Look' }, '[photo] Look'],
  caption_entities: [
    {
      photo,
      caption: 'Look',
      caption_entities: [{ type: 'text_link', offset: 0, length: 4, url: 'https://a.example/x' }],
    },
    '[photo] Look (https://a.example/x)',
  ],
  show_caption_above_media: beside('show_caption_above_media', true),
  has_media_spoiler: beside('has_media_spoiler', true),
  reply_markup: beside('reply_markup', { inline_keyboard: [] }),
};

const member = (status: string) => ({ user: bot, status });
const message = { message_id: 9, date: day, chat, from: ada, text: 'Hello' };

/** An example of each kind of update. */
export const UPDATE_EXAMPLES: Readonly<Record<UpdateKind, object>> = {
  message,
  edited_message: { ...message, edit_date: day },
  channel_post: { ...message, chat: { id: -100_12, type: 'channel', title: 'News' } },
  edited_channel_post: { ...message, chat: { id: -100_12, type: 'channel', title: 'News' }, edit_date: day },
  business_connection: { id: 'b', user: ada, user_chat_id: 41, date: day, is_enabled: true },
  business_message: { ...message, business_connection_id: 'b' },
  edited_business_message: { ...message, business_connection_id: 'b', edit_date: day },
  deleted_business_messages: { business_connection_id: 'b', chat, message_ids: [9] },
  guest_message: { ...message, guest_query_id: 'q' },
  message_reaction: {
    chat,
    message_id: 9,
    user: ada,
    date: day,
    old_reaction: [],
    new_reaction: [{ type: 'emoji', emoji: '👍' }],
  },
  message_reaction_count: { chat: team, message_id: 9, date: day, reactions: [] },
  inline_query: { id: 'i', from: ada, query: 'shoes', offset: '' },
  chosen_inline_result: { result_id: '1', from: ada, query: 'shoes' },
  callback_query: { id: 'c', from: ada, chat_instance: '1', data: 'yes', message: { message_id: 2, date: 0, chat } },
  shipping_query: { id: 's', from: ada, invoice_payload: 'order-17', shipping_address: {} },
  pre_checkout_query: { id: 'p', from: ada, currency: 'EUR', total_amount: 1999, invoice_payload: 'order-17' },
  purchased_paid_media: { from: ada, paid_media_payload: 'x' },
  poll: { id: 'p', question: 'When?', options: [] },
  poll_answer: { poll_id: 'p', user: ada, option_ids: [0] },
  my_chat_member: {
    chat: team,
    from: ada,
    date: day,
    old_chat_member: member('left'),
    new_chat_member: member('member'),
  },
  chat_member: { chat: team, from: ada, date: day, old_chat_member: member('left'), new_chat_member: member('member') },
  chat_join_request: { chat: team, from: ada, user_chat_id: 41, date: day },
  chat_boost: { chat: team, boost: {} },
  removed_chat_boost: { chat: team, boost_id: 'b', remove_date: day, source: {} },
  managed_bot: { user: ada, bot },
  subscription: { user: ada, invoice_payload: 'plan', state: 'active' },
  stopped_message_generation: { chat, draft_id: 1 },
};
