import type { InboundOutcome, InboundRow, InboundTable } from '../../inbound-table';

type Row = readonly [kind: string, becomes: InboundOutcome, words?: string];

const rows = (given: readonly Row[]): InboundRow[] =>
  given.map(([kind, becomes, words]) => ({ kind, becomes, ...(words !== undefined && { words }) }));

/**
 * The types of whatsapp-api-js 6.3.0 (2026-09-22), Meta's reference of webhooks as stored in May 2026
 * (https://developers.facebook.com/documentation/business-messaging/whatsapp/webhooks/reference), and the fields that the app
 * dashboard offers for v26.0. `ephemeral`, `request_welcome`, `unknown` and `user_identity_changed` are of earlier versions.
 */
const SOURCE = 'Graph API v26.0: Meta’s reference of webhooks (May 2026), whatsapp-api-js 6.3.0';

const MESSAGES: InboundTable = {
  platform: 'whatsapp',
  title: 'Types of messages',
  source: SOURCE,
  rows: rows([
    ['text', 'message', 'the text'],
    ['image', 'message', '[photo] caption'],
    ['video', 'message', '[video] caption'],
    ['audio', 'message', '[voice message] or [audio]'],
    ['document', 'message', '[document] file name, caption'],
    ['sticker', 'message', '[sticker] or [animated sticker]'],
    ['location', 'message', '[location] name, address, position'],
    ['contacts', 'message', '[contact] name, company, numbers; the next contact'],
    ['order', 'message', '[order] 2 x SKU-9 at 12.5 EUR, total 25 EUR; catalog 77'],
    ['interactive', 'message', 'see the table of interactive replies'],
    ['button', 'message', 'the title of the template’s button'],
    ['unsupported', 'message', '[unsupported message: type], not answered'],
    ['unknown', 'message', '[unsupported message], not answered'],
    ['ephemeral', 'message', '[unsupported message: ephemeral], not answered'],
    ['media_placeholder', 'message', '[unsupported message: media_placeholder], not answered'],
    ['edit', 'change', 'the new text'],
    ['revoke', 'change', 'the message is deleted'],
    ['reaction', 'reaction'],
    ['system', 'change', 'see the table of system messages'],
    ['request_welcome', 'counted', 'the person opened the chat and wrote nothing'],
  ]),
};

const INTERACTIVE: InboundTable = {
  platform: 'whatsapp',
  title: 'Interactive replies',
  source: SOURCE,
  rows: rows([
    ['button_reply', 'message', 'the title of the button'],
    ['list_reply', 'message', 'the title of the row'],
    ['nfm_reply', 'message', '[form] and a line for each field'],
    ['call_permission_reply', 'message', '[call permission] and a line for each field; not answered if a call gave it'],
  ]),
};

const SYSTEM: InboundTable = {
  platform: 'whatsapp',
  title: 'System messages',
  source: SOURCE,
  rows: rows([
    ['user_changed_number', 'change', 'the conversation moves to the new number'],
    ['user_changed_user_id', 'change', 'the conversation moves to the new user id'],
    ['customer_changed_number', 'change', 'as user_changed_number, in earlier versions'],
    ['user_identity_changed', 'counted'],
    ['customer_identity_changed', 'counted'],
    ['user_preference_changed', 'counted', 'user_preferences reports it too'],
  ]),
};

const STATUSES: InboundTable = {
  platform: 'whatsapp',
  title: 'Statuses of sent messages',
  source: SOURCE,
  rows: rows([
    ['sent', 'receipt'],
    ['delivered', 'receipt'],
    ['read', 'receipt'],
    ['played', 'receipt', 'as read: a voice message was played'],
    ['failed', 'receipt'],
    ['payment', 'message', '[payment] captured 21 INR for reference; not answered'],
    ['deleted', 'counted'],
    ['warning', 'counted'],
  ]),
};

const CALLS: InboundTable = {
  platform: 'whatsapp',
  title: 'Events of calls',
  source: SOURCE,
  rows: rows([
    ['terminate', 'notice', 'call_ended: whether the call was answered'],
    ['connect', 'counted', 'the gateway takes no calls'],
    ['call_created', 'counted'],
    ['call_recording_available', 'counted'],
    ['call_transcription_available', 'counted'],
    ['RINGING', 'counted'],
    ['ACCEPTED', 'counted'],
    ['REJECTED', 'counted'],
  ]),
};

const FIELDS: InboundTable = {
  platform: 'whatsapp',
  title: 'Fields of callbacks',
  source: SOURCE,
  rows: rows([
    ['messages', 'message', 'messages, statuses, and errors of the account, which are notices'],
    ['smb_message_echoes', 'message', 'what colleagues write in the business app'],
    ['standby', 'message', 'people’s messages that another app answers: not answered'],
    ['user_id_update', 'change', 'the conversation moves to the new user id'],
    ['user_preferences', 'change', 'the person stops or allows marketing messages'],
    ['calls', 'notice', 'see the table of calls'],
    ['account_update', 'notice', 'bans and restrictions are critical, violations a warning'],
    ['account_alerts', 'notice', 'with the severity that Meta names'],
    ['account_review_update', 'notice', 'critical if rejected'],
    ['account_settings_update', 'notice'],
    ['business_capability_update', 'notice'],
    ['business_status_update', 'notice'],
    ['business_username_updates', 'notice'],
    ['phone_number_username_update', 'notice'],
    ['phone_number_name_update', 'notice', 'a warning if rejected'],
    ['phone_number_quality_update', 'notice', 'a warning if flagged or lowered'],
    ['security', 'notice', 'a warning if two-step verification is turned off'],
    ['payment_configuration_update', 'notice'],
    ['partner_solutions', 'notice'],
    ['flows', 'notice', 'a warning if blocked, throttled or failing'],
    ['messaging_handovers', 'notice', 'which app answers a person'],
    ['group_lifecycle_update', 'notice'],
    ['group_status_update', 'notice', 'a warning if suspended'],
    ['message_template_status_update', 'notice', 'a warning if it cannot be sent; templates are read again'],
    ['message_template_quality_update', 'notice', 'a warning if red; templates are read again'],
    ['template_category_update', 'notice', 'a warning 24 hours before; templates are read again'],
    ['template_correct_category_detection', 'notice', 'a warning'],
    ['message_template_components_update', 'counted', 'templates are read again'],
    ['group_participants_update', 'counted'],
    ['group_settings_update', 'counted'],
    ['history', 'counted', 'messages from before the gateway'],
    ['smb_app_state_sync', 'counted', 'contacts of the business app'],
    ['message_echoes', 'counted', 'what programs of the account send'],
    ['automatic_events', 'counted'],
    ['tracking_events', 'counted'],
    ['user_actions', 'counted', 'in messages: a click on a link of a marketing message'],
  ]),
};

/** Everything that a callback of WhatsApp can hold. A type outside is an unsupported message; a field outside is counted. */
export const WHATSAPP_TABLES: readonly InboundTable[] = [MESSAGES, INTERACTIVE, SYSTEM, STATUSES, CALLS, FIELDS];
