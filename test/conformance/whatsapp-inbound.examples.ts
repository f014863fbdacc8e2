/** A change of a callback, without the number that it is about. */
interface Example {
  field: string;
  value: Record<string, unknown>;
}

export const PERSON = '491701234567';
const USER_ID = 'MX.30000000001';
const TIME = '1795860000';

const contacts = [{ profile: { name: 'Bia' }, wa_id: PERSON }];
const message = (content: object): Example => ({
  field: 'messages',
  value: { contacts, messages: [{ from: PERSON, id: 'wamid.1', timestamp: TIME, ...content }] },
});
const media = (type: string, more: object = {}): Example => message({ type, [type]: { id: '1', ...more } });
const interactive = (type: string, reply: object): Example =>
  message({
    type: 'interactive',
    interactive: { type, [type]: reply },
    context: { from: '15550783881', id: 'wamid.0' },
  });
const system = (type: string, more: object = {}): Example =>
  message({ type: 'system', system: { body: 'User Bia', type, ...more } });
const status = (word: string, more: object = {}): Example => ({
  field: 'messages',
  value: { statuses: [{ id: 'wamid.0', status: word, timestamp: TIME, recipient_id: PERSON, ...more }] },
});
const call = (event: string, more: object = {}): Example => ({
  field: 'calls',
  value: { calls: [{ id: 'wacid.1', from: PERSON, to: '15550783881', event, timestamp: TIME, ...more }] },
});
const callStatus = (word: string): Example => ({
  field: 'calls',
  value: { statuses: [{ id: 'wacid.1', type: 'call', status: word, timestamp: TIME, recipient_id: PERSON }] },
});
const field = (name: string, value: Record<string, unknown>): Example => ({ field: name, value });
const template = { message_template_id: 1, message_template_name: 'order_update', message_template_language: 'en_US' };
const number = { display_phone_number: '15550783881' };

/** One example for each row of each table, by the title of the table and the kind of the row. */
export const EXAMPLES: Readonly<Record<string, Readonly<Record<string, Example>>>> = {
  'Types of messages': {
    text: message({ type: 'text', text: { body: 'Hello' } }),
    image: media('image', { caption: 'Look' }),
    video: media('video'),
    audio: media('audio', { voice: true }),
    document: media('document', { filename: 'a.pdf' }),
    sticker: media('sticker'),
    location: message({ type: 'location', location: { latitude: 52.5, longitude: 13.4 } }),
    contacts: message({ type: 'contacts', contacts: [{ name: { formatted_name: 'Bob' } }] }),
    order: message({
      type: 'order',
      order: {
        catalog_id: '77',
        product_items: [{ product_retailer_id: 'SKU-9', quantity: 2, item_price: 12.5, currency: 'EUR' }],
      },
    }),
    interactive: interactive('button_reply', { id: 'yes', title: 'Yes' }),
    button: message({ type: 'button', button: { text: 'Stop', payload: 'stop' } }),
    unsupported: message({ type: 'unsupported', unsupported: { type: 'poll_creation' }, errors: [{ code: 131051 }] }),
    unknown: message({ type: 'unknown', errors: [{ code: 131051 }] }),
    ephemeral: message({ type: 'ephemeral' }),
    media_placeholder: message({ type: 'media_placeholder' }),
    edit: message({
      type: 'edit',
      edit: { original_message_id: 'wamid.0', message: { type: 'text', text: { body: 'Better' } } },
    }),
    revoke: message({ type: 'revoke', revoke: { original_message_id: 'wamid.0' } }),
    reaction: message({ type: 'reaction', reaction: { message_id: 'wamid.0', emoji: '👍' } }),
    system: system('user_changed_number', { wa_id: '491709999999' }),
    request_welcome: message({ type: 'request_welcome' }),
  },
  'Interactive replies': {
    button_reply: interactive('button_reply', { id: 'yes', title: 'Yes' }),
    list_reply: interactive('list_reply', { id: 'yes', title: 'Yes', description: 'Surely' }),
    nfm_reply: interactive('nfm_reply', {
      name: 'flow',
      body: 'Sent',
      response_json: '{"flow_token":"t","name":"Ada"}',
    }),
    call_permission_reply: interactive('call_permission_reply', { response: 'accept', is_permanent: false }),
  },
  'System messages': {
    user_changed_number: system('user_changed_number', { wa_id: '491709999999', user_id: 'MX.30000000002' }),
    user_changed_user_id: message({
      type: 'system',
      from: undefined,
      from_user_id: USER_ID,
      system: { type: 'user_changed_user_id', user_id: 'MX.30000000002', previous_user_id: USER_ID },
    }),
    customer_changed_number: system('customer_changed_number', { new_wa_id: '491709999999' }),
    user_identity_changed: system('user_identity_changed'),
    customer_identity_changed: system('customer_identity_changed'),
    user_preference_changed: system('user_preference_changed', { marketing: 'stop' }),
  },
  'Statuses of sent messages': {
    sent: status('sent'),
    delivered: status('delivered'),
    read: status('read'),
    played: status('played'),
    failed: status('failed', { errors: [{ code: 131047, title: 'Re-engagement message' }] }),
    payment: status('captured', {
      type: 'payment',
      payment: {
        reference_id: 'order-7',
        amount: { value: 2100, offset: 100 },
        currency: 'INR',
        transaction: { id: 't1' },
      },
    }),
    deleted: status('deleted'),
    warning: status('warning'),
  },
  'Events of calls': {
    terminate: call('terminate', { status: 'FAILED', direction: 'USER_INITIATED' }),
    connect: call('connect', { session: { sdp_type: 'offer', sdp: 'v=0' } }),
    call_created: call('call_created'),
    call_recording_available: call('call_recording_available', {
      call_recording: { type: 'audio', audio: { id: '1' } },
    }),
    call_transcription_available: call('call_transcription_available'),
    RINGING: callStatus('RINGING'),
    ACCEPTED: callStatus('ACCEPTED'),
    REJECTED: callStatus('REJECTED'),
  },
  'Fields of callbacks': {
    messages: message({ type: 'text', text: { body: 'Hello' } }),
    smb_message_echoes: field('smb_message_echoes', {
      message_echoes: [
        { from: '15550783881', to: `+${PERSON}`, id: 'wamid.1', timestamp: TIME, type: 'text', text: { body: 'Hi' } },
      ],
    }),
    standby: field('standby', { standby: message({ type: 'text', text: { body: 'Hello' } }).value }),
    user_id_update: field('user_id_update', {
      user_id_update: [{ wa_id: PERSON, user_id: { previous: USER_ID, current: 'MX.30000000002' }, timestamp: TIME }],
    }),
    user_preferences: field('user_preferences', {
      user_preferences: [{ wa_id: PERSON, category: 'marketing_messages', value: 'stop', timestamp: 1_795_860_000 }],
    }),
    calls: call('terminate', { status: 'COMPLETED', duration: 12 }),
    account_update: field('account_update', { event: 'DISABLED_UPDATE', ban_info: { waba_ban_state: 'DISABLE' } }),
    account_alerts: field('account_alerts', {
      entity_type: 'BUSINESS',
      alert_info: {
        alert_severity: 'WARNING',
        alert_type: 'OBA_REJECTED',
        alert_description: 'Edit the display name.',
      },
    }),
    account_review_update: field('account_review_update', { decision: 'APPROVED' }),
    account_settings_update: field('account_settings_update', { type: 'phone_number_settings' }),
    business_capability_update: field('business_capability_update', { max_daily_conversations_per_business: 2_000 }),
    business_status_update: field('business_status_update', { business_id: 1, event: 'COMPROMISED_NOTIFICATION' }),
    business_username_updates: field('business_username_updates', { ...number, status: 'approved' }),
    phone_number_username_update: field('phone_number_username_update', { ...number, decision: 'REJECTED' }),
    phone_number_name_update: field('phone_number_name_update', {
      ...number,
      decision: 'APPROVED',
      requested_verified_name: 'Shop',
    }),
    phone_number_quality_update: field('phone_number_quality_update', {
      ...number,
      event: 'FLAGGED',
      current_limit: 'TIER_2K',
    }),
    security: field('security', { ...number, event: 'PIN_RESET_REQUEST', requester: '61' }),
    payment_configuration_update: field('payment_configuration_update', {
      configuration_name: 'prod',
      status: 'Needs Testing',
    }),
    partner_solutions: field('partner_solutions', { event: 'SOLUTION_CREATED', solution_status: 'INITIATED' }),
    flows: field('flows', { event: 'FLOW_STATUS_CHANGE', message: 'Flow 3 changed status', new_status: 'BLOCKED' }),
    messaging_handovers: field('messaging_handovers', {
      type: 'control_taken',
      sender: { phone_number: PERSON },
      timestamp: TIME,
    }),
    group_lifecycle_update: field('group_lifecycle_update', {
      groups: [{ type: 'group_create', group_id: 'Y2', subject: 'Buyers' }],
    }),
    group_status_update: field('group_status_update', { groups: [{ type: 'group_suspend', group_id: 'Y2' }] }),
    message_template_status_update: field('message_template_status_update', {
      ...template,
      event: 'PAUSED',
      reason: 'NONE',
    }),
    message_template_quality_update: field('message_template_quality_update', {
      ...template,
      new_quality_score: 'RED',
    }),
    template_category_update: field('template_category_update', {
      ...template,
      new_category: 'UTILITY',
      correct_category: 'MARKETING',
    }),
    template_correct_category_detection: field('template_correct_category_detection', {
      ...template,
      correct_category: 'MARKETING',
    }),
    message_template_components_update: field('message_template_components_update', template),
    group_participants_update: field('group_participants_update', {
      groups: [{ type: 'group_participants_add', group_id: 'Y2' }],
    }),
    group_settings_update: field('group_settings_update', {
      groups: [{ type: 'group_settings_update', group_id: 'Y2' }],
    }),
    history: field('history', { history: [{ metadata: { phase: 0 }, threads: [] }] }),
    smb_app_state_sync: field('smb_app_state_sync', { state_sync: [{ type: 'contact', action: 'add' }] }),
    message_echoes: field('message_echoes', { message_echoes: [{ id: 'wamid.1', to: PERSON }] }),
    automatic_events: field('automatic_events', { automatic_events: [{ event_name: 'Purchase' }] }),
    tracking_events: field('tracking_events', { events: [{}] }),
    user_actions: field('messages', {
      user_actions: [{ action_type: 'marketing_messages_link_click', timestamp: TIME }],
    }),
  },
};
