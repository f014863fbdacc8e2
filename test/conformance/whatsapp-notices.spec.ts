import type { AccountNotice } from '#platforms';
import { about, WhatsAppCallbacks } from './whatsapp-callbacks';

const USER_ID = 'MX.30000000001';

describe('A WhatsApp notice', () => {
  const callbacks = new WhatsAppCallbacks();
  const { session } = callbacks;
  beforeEach(() => session.open());
  afterEach(() => session.close());
  const tell = (field: string, value: object, entry?: object) => callbacks.tell(field, value, entry);
  const lastNotice = (): AccountNotice | undefined => session.sink.notices.at(-1);

  it.each<[string, object, AccountNotice['severity'], string]>([
    [
      'account_update',
      { event: 'DISABLED_UPDATE', ban_info: { waba_ban_state: 'SCHEDULE_FOR_DISABLE', waba_ban_date: '2026-12-01' } },
      'critical',
      'Meta will disable the WhatsApp business account on 2026-12-01.',
    ],
    [
      'account_update',
      { event: 'DISABLED_UPDATE', ban_info: { waba_ban_state: 'REINSTATE' } },
      'info',
      'Meta reinstated the WhatsApp business account.',
    ],
    [
      'account_update',
      {
        event: 'ACCOUNT_RESTRICTION',
        restriction_info: [{ restriction_type: 'RESTRICTED_BIZ_INITIATED_MESSAGING', expiration: '2026-12-12' }],
      },
      'critical',
      'Meta restricted the WhatsApp business account: RESTRICTED_BIZ_INITIATED_MESSAGING until 2026-12-12.',
    ],
    [
      'account_update',
      { event: 'ACCOUNT_VIOLATION', violation_info: { violation_type: 'SCAM' } },
      'warning',
      'Meta reports that the WhatsApp business account violates a policy: SCAM.',
    ],
    [
      'account_update',
      { event: 'VERIFIED_ACCOUNT', phone_number: '15550783881' },
      'info',
      'Meta reports VERIFIED_ACCOUNT for the WhatsApp business account (number 15550783881).',
    ],
    ['account_update', {}, 'info', 'Meta reports a change for the WhatsApp business account.'],
    [
      'account_update',
      { event: 'NEW', restriction_info: [{ restriction_type: 'ALL' }] },
      'critical',
      'Meta restricted the WhatsApp business account: ALL.',
    ],
    [
      'account_review_update',
      { decision: 'REJECTED' },
      'critical',
      'Meta reports REJECTED for the review of the WhatsApp business account.',
    ],
    [
      'account_alerts',
      { alert_info: { alert_severity: 'CRITICAL', alert_type: 'OBA_REJECTED', alert_description: 'Edit the name.' } },
      'critical',
      'Meta alerts about the account: OBA_REJECTED: Edit the name.',
    ],
    [
      'account_alerts',
      { alert_info: { alert_severity: 'INFORMATIONAL', alert_type: 'OBA_APPROVED' } },
      'info',
      'Meta alerts about the account: OBA_APPROVED.',
    ],
    [
      'phone_number_quality_update',
      { display_phone_number: '15550783881', event: 'FLAGGED', current_limit: 'TIER_2K' },
      'warning',
      'Meta reports FLAGGED for the quality or limit of the number 15550783881, now TIER_2K.',
    ],
    [
      'phone_number_quality_update',
      { display_phone_number: '15550783881', event: 'THROUGHPUT_UPGRADE' },
      'info',
      'Meta reports THROUGHPUT_UPGRADE for the quality or limit of the number 15550783881.',
    ],
    [
      'phone_number_name_update',
      {
        display_phone_number: '15550783881',
        decision: 'REJECTED',
        requested_verified_name: 'Shop',
        rejection_reason: 'NAME_FORMAT_UNACCEPTABLE',
      },
      'warning',
      'The display name Shop of the number 15550783881 is rejected: NAME_FORMAT_UNACCEPTABLE.',
    ],
    [
      'message_template_status_update',
      { event: 'PAUSED', message_template_name: 'sale', message_template_language: 'en_US', reason: 'NONE' },
      'warning',
      'Meta reports PAUSED for the template sale (en_US).',
    ],
    [
      'template_category_update',
      { message_template_name: 'sale', new_category: 'UTILITY', correct_category: 'MARKETING' },
      'warning',
      'Meta will move the template sale to the category MARKETING.',
    ],
    [
      'flows',
      { event: 'ENDPOINT_ERROR_RATE', alert_state: 'ACTIVATED', message: 'Too many errors.' },
      'warning',
      'Meta reports about a flow: Too many errors.',
    ],
  ])('%s %j is %s', async (field, value, severity, message) => {
    await tell(field, value, {});
    expect(session.sink.notices).toMatchObject([{ kind: field, severity, message, data: value }]);
  });

  it('names the business account and the time', async () => {
    await tell('account_update', { event: 'ACCOUNT_DELETED' }, { id: '102290129340398', time: 1_743_451_903 });
    expect(lastNotice()).toEqual({
      kind: 'account_update',
      severity: 'critical',
      message: 'Meta reports ACCOUNT_DELETED for the WhatsApp business account.',
      data: { business_account_id: '102290129340398', event: 'ACCOUNT_DELETED' },
      occurredAt: new Date(1_743_451_903_000),
    });
  });

  it.each([
    [
      { code: 130429, title: 'Rate limit hit', error_data: { details: 'throughput reached' } },
      'warning',
      'WhatsApp reports the error 130429 Rate limit hit: throughput reached.',
    ],
    [
      { code: 131031, title: 'Account has been locked' },
      'critical',
      'WhatsApp reports the error 131031 Account has been locked.',
    ],
    [{}, 'warning', 'WhatsApp reports the error no description.'],
  ])('reports the error %j', async (error, severity, message) => {
    await tell('messages', about({ errors: [error] }));
    expect(session.sink.notices).toMatchObject([{ kind: 'platform_error', severity, message, data: error }]);
  });

  it('reports calls that ended', async () => {
    const call = {
      id: 'wacid.1',
      from: '491700000030',
      to: '15550783881',
      event: 'terminate',
      timestamp: '1795860000',
    };
    const calls = [
      { ...call, status: 'FAILED' },
      { ...call, status: 'Completed', duration: 42 },
      { ...call, status: 'FAILED', direction: 'BUSINESS_INITIATED', from: '15550783881', to: '491700000030' },
    ];
    await tell('calls', about({ calls }));
    expect(session.sink.notices).toMatchObject([
      {
        kind: 'call_ended',
        severity: 'info',
        message: 'The call from 491700000030 was not answered.',
        occurredAt: new Date(1_795_860_000_000),
      },
      { message: 'The call from 491700000030 ended after 42 seconds.' },
      { message: 'The call to 491700000030 was not answered.' },
    ]);
  });

  it('keeps at most 16 KiB of a notice', async () => {
    await tell('account_alerts', { alert_info: { alert_description: 'x'.repeat(20_000) } });
    expect(lastNotice()!.data).toEqual({ truncated: true });
    expect(lastNotice()!.message.length).toBeLessThan(600);
  });

  it.each([
    [{ wa_id: '491700000031', value: 'stop' }, '491700000031', false],
    [{ wa_id: '+491700000031', value: 'resume' }, '491700000031', true],
    [{ user_id: USER_ID, value: 'stop' }, USER_ID, false],
  ])('stores the marketing preference %j', async (given, participantId, allowed) => {
    const preference = { category: 'marketing_messages', timestamp: 1_795_860_000, ...given };
    await tell('user_preferences', about({ user_preferences: [preference] }));
    expect(session.sink.preferences).toEqual([{ participantId, allowed, at: new Date(1_795_860_000_000) }]);
  });

  it.each([{ value: 'stop' }, { wa_id: '4917', value: 'later' }, { wa_id: '4917', value: 'stop', category: 'calls' }])(
    'counts the preference %j',
    async (given) => {
      await tell('user_preferences', about({ user_preferences: [{ category: 'marketing_messages', ...given }] }));
      expect([session.sink.preferences, session.sink.leftOut]).toEqual([[], ['user_preferences']]);
    },
  );
});
