import { accountOf } from '../../support/accounts';
import type { EventData } from '#contracts';
import type { AccountNotice } from '#platforms';
import { InboundSinks } from '../../../src/integrations/inbound/inbound-sinks.service';
import type { ProblemDto } from '../../../src/status/problems/problem.dto';
import { eventually } from '../../support/eventually';
import { anId, aTimestamp, expectedAccount } from '../../support/expected';
import { WhatsAppGateway } from '../../support/whatsapp-gateway';
import { useGateway } from '../../support/gateway';

const BAN: AccountNotice = {
  kind: 'account_update',
  severity: 'critical',
  message: 'Meta will disable the business account on 2026-12-01.',
  data: { event: 'DISABLED_UPDATE', ban_info: { waba_ban_state: 'SCHEDULE_FOR_DISABLE' } },
  occurredAt: new Date('2026-11-28T08:00:00.000Z'),
};

describe('A notice of a platform about an account', () => {
  const gateway = useGateway();

  const sink = () => gateway.app.get(InboundSinks).of(accountOf('live', 'whatsapp'));
  const problems = async () => {
    const { body } = await gateway.api<ProblemDto[]>('GET', '/problems');
    return body.data.filter(({ kind }) => kind === 'integration_error');
  };
  const notices = () =>
    gateway.sql<{ data: EventData<'integration.notice'> }>(
      `SELECT body::jsonb -> 'data' AS data FROM events WHERE type = 'integration.notice' ORDER BY created_at, id`,
    );

  it('becomes an event, and a problem that counts it and names the newest', async () => {
    await sink().notice({ ...BAN, severity: 'warning', message: 'The account is under review.' });
    await sink().notice(BAN);
    expect((await notices()).map(({ data }) => data).at(-1)).toEqual({
      account: expectedAccount(),
      platform: 'whatsapp',
      environment: 'live',
      kind: 'account_update',
      severity: 'critical',
      message: BAN.message,
      data: BAN.data,
      occurred_at: '2026-11-28T08:00:00.000Z',
    });
    expect(await problems()).toEqual([
      {
        id: anId('problem'),
        kind: 'integration_error',
        severity: 'critical',
        title: 'WhatsApp reports: meta will disable the business account on 2026-12-01.',
        count: 2,
        first_at: aTimestamp(),
        last_at: aTimestamp(),
        subject: { type: 'integration', id: 'whatsapp' },
        samples: [anId('event'), anId('event')],
      },
    ]);
  });

  it('is one event if it is delivered several times, even at once', async () => {
    const before = (await notices()).length;
    const notice = { ...BAN, kind: 'business_status_update', severity: 'info' as const };
    await Promise.all([sink().notice(notice), sink().notice(notice)]);
    await sink().notice(notice);
    await sink().notice({ ...notice, occurredAt: new Date('2026-11-28T09:00:00.000Z') });
    expect(await notices()).toHaveLength(before + 2);
  });

  it('is no problem if it is only information', async () => {
    await sink().notice({ ...BAN, kind: 'added_to_group', severity: 'info' });
    expect((await notices()).at(-1)!.data).toMatchObject({ kind: 'added_to_group', severity: 'info' });
    expect(await problems()).toHaveLength(1);
  });

  it('is stored with at most 16 KiB, whatever its text and its time', async () => {
    const users = Array.from({ length: 5_000 }, (_, index) => `user ${index}`);
    await sink().notice({ ...BAN, message: 'No\u0000tice', data: { users }, occurredAt: new Date(Number.NaN) });
    const { data } = (await notices()).at(-1)!;
    expect(data).toMatchObject({ message: 'Notice', occurred_at: aTimestamp() });
    expect(Buffer.byteLength(JSON.stringify(data.data))).toBeLessThanOrEqual(16_384);
  });

  it('about an unknown account becomes a separate problem, once an hour', async () => {
    for (const account of ['200000000000002', '200000000000003', '200000000000002']) sink().unknownAccount(account);
    await eventually('both are problems', async () => {
      const found = (await problems()).filter(({ title }) => title.includes('has no account with this id'));
      expect(found).toMatchObject([{ count: 1 }, { count: 1 }]);
    });
    const unknown = (await notices()).filter(({ data }) => data.kind === 'unknown_account');
    expect(unknown.map(({ data }) => data.data)).toEqual([
      { account: '200000000000002' },
      { account: '200000000000003' },
    ]);
  });

  it('of an unknown kind is counted, with at most 200 kinds in the metric', async () => {
    for (let index = 0; index < 300; index += 1) sink().ignored(`kind_${index}`);
    sink().ignored('kind_0');
    const text = await (await fetch(`${gateway.url}/metrics`)).text();
    const lines = text.split('\n').filter((line) => line.startsWith('gateway_updates_ignored_total'));
    expect(lines).toHaveLength(201);
    expect(lines).toContain('gateway_updates_ignored_total{platform="whatsapp",kind="kind_0"} 2');
    expect(lines).toContain('gateway_updates_ignored_total{platform="whatsapp",kind="other"} 100');
  });
});

describe('A WhatsApp callback about the account', () => {
  const scene = new WhatsAppGateway();
  const { whatsapp } = scene;

  beforeAll(() => scene.start());
  afterAll(() => scene.stop());

  const problems = async () => {
    const { body } = await scene.gateway.api<ProblemDto[]>('GET', '/problems');
    return body.data.filter(({ kind }) => kind === 'integration_error');
  };
  const notices = async () => {
    const rows = await scene.gateway.sql<{ data: EventData<'integration.notice'> }>(
      `SELECT body::jsonb -> 'data' AS data FROM events WHERE type = 'integration.notice' ORDER BY created_at, id`,
    );
    return rows.map(({ data }) => data);
  };
  const head = { messaging_product: 'whatsapp', metadata: { phone_number_id: whatsapp.account.phoneNumberId } };

  it('that reports a ban, or an error of the number, becomes an event and a problem', async () => {
    const ban_info = { waba_ban_state: 'SCHEDULE_FOR_DISABLE', waba_ban_date: '2026-12-01' };
    expect(await whatsapp.postChange('account_update', { event: 'DISABLED_UPDATE', ban_info })).toBe(200);
    const error = { code: 130429, title: 'Rate limit hit', error_data: { details: 'throughput reached' } };
    expect(await whatsapp.postChange('messages', { ...head, errors: [error] })).toBe(200);
    expect(await notices()).toMatchObject([
      { platform: 'whatsapp', kind: 'account_update', severity: 'critical', data: { event: 'DISABLED_UPDATE' } },
      { platform: 'whatsapp', kind: 'platform_error', data: { code: 130429 } },
    ]);
    expect((await problems()).map(({ severity, count }) => [severity, count])).toEqual(
      expect.arrayContaining([['critical', 1]]),
    );
    expect(await problems()).toHaveLength(2);
  });

  it('that reports a missed call becomes an event', async () => {
    const call = { id: 'wacid.1', from: '491700000030', to: '15550783881', event: 'terminate', status: 'FAILED' };
    expect(await whatsapp.postChange('calls', { ...head, calls: [{ ...call, timestamp: '1795860000' }] })).toBe(200);
    expect((await notices()).at(-1)).toMatchObject({ kind: 'call_ended', data: { id: 'wacid.1' } });
  });

  it('that is repeated has no effect', async () => {
    const before = await notices();
    const value = {
      event: 'ACCOUNT_RESTRICTION',
      restriction_info: [{ restriction_type: 'RESTRICTED_BIZ_INITIATED' }],
    };
    for (let times = 0; times < 2; times += 1) expect(await whatsapp.postChange('account_update', value)).toBe(200);
    expect((await notices()).slice(before.length)).toMatchObject([{ kind: 'account_update', data: value }]);
  });

  it('for an unknown number stores nothing, and becomes a problem', async () => {
    const value = {
      ...whatsapp.messageValue({ type: 'text', text: { body: 'to your second number' } }, { from: '4917099900001' }),
      metadata: { display_phone_number: '15550000002', phone_number_id: '200000000000002' },
    };
    expect(await whatsapp.post(value)).toBe(200);
    expect(await whatsapp.post(value)).toBe(200);
    await eventually('it is a problem', async () => {
      const unknown = (await problems()).filter(({ title }) => title.includes('200000000000002'));
      expect(unknown).toMatchObject([{ severity: 'warning', count: 1 }]);
    });
    expect(await scene.gateway.sql(`SELECT FROM messages WHERE content = 'to your second number'`)).toEqual([]);
  });
});
