import type { EventData } from '#contracts';
import type { AccountNotice } from '#platforms';
import { InboundSinks } from '../../../src/integrations/inbound/inbound-sinks.service';
import type { ProblemDto } from '../../../src/status/problems/problem.dto';
import { eventually } from '../../support/eventually';
import { anId, aTimestamp } from '../../support/expected';
import { useGateway } from '../../support/gateway';

const BAN: AccountNotice = {
  kind: 'account_update',
  severity: 'critical',
  message: 'Meta will disable the business account on 2026-12-01.',
  data: { event: 'DISABLED_UPDATE', ban_info: { waba_ban_state: 'SCHEDULE_FOR_DISABLE' } },
  occurredAt: new Date('2026-11-28T08:00:00.000Z'),
};

describe('What a platform says about an account', () => {
  const gateway = useGateway();

  const sink = () => gateway.app.get(InboundSinks).of('whatsapp');
  const problems = async () => {
    const { body } = await gateway.api<ProblemDto[]>('GET', '/problems');
    return body.data.filter(({ kind }) => kind === 'integration_error');
  };
  const notices = () =>
    gateway.sql<{ data: EventData<'integration.notice'> }>(
      `SELECT body::jsonb -> 'data' AS data FROM events WHERE type = 'integration.notice' ORDER BY created_at, id`,
    );

  it('is an event, and a problem that counts it and names the newest', async () => {
    await sink().notice({ ...BAN, severity: 'warning', message: 'The account is under review.' });
    await sink().notice(BAN);
    expect((await notices()).map(({ data }) => data).at(-1)).toEqual({
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

  it('is no problem if it is only for information', async () => {
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

  it('about an unknown account is a problem of its own, once an hour', async () => {
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

  it('that is none of it is counted by its kind, of which the metric has at most 200', async () => {
    for (let index = 0; index < 300; index += 1) sink().ignored(`kind_${index}`);
    sink().ignored('kind_0');
    const text = await (await fetch(`${gateway.url}/metrics`)).text();
    const lines = text.split('\n').filter((line) => line.startsWith('gateway_updates_ignored_total'));
    expect(lines).toHaveLength(201);
    expect(lines).toContain('gateway_updates_ignored_total{platform="whatsapp",kind="kind_0"} 2');
    expect(lines).toContain('gateway_updates_ignored_total{platform="whatsapp",kind="other"} 100');
  });
});
