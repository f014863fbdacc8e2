import type { BillingDto, SendResultDto } from '../../../src/messages/dto/message.dto';
import type { PlatformUsageDto, PlatformUsageItemDto } from '../../../src/billing/platform-usage.dto';
import type { WhatsAppSent, WhatsAppStatus } from '../../fakes/whatsapp-types';
import { eventually } from '../../support/eventually';
import { withClient } from '../../support/with-client';
import { WhatsAppGateway } from '../../support/whatsapp-gateway';

const PRICING = { billable: true, pricing_model: 'PMP', category: 'service', type: 'regular' };

describe('the bill of a WhatsApp message', () => {
  const scene = new WhatsAppGateway();
  const { whatsapp } = scene;

  beforeAll(() => scene.start());
  afterAll(() => scene.stop());

  const patch = async (settings: object, key?: string) =>
    expect((await scene.gateway.api('PATCH', '/admin/settings', settings, key ? { key } : {})).status).toBe(200);
  beforeAll(() =>
    patch({ ai: { auto_reply: false }, platform_prices: { '+49': { service: 0.01 }, '+4917': { service: 0.02 } } }),
  );

  const statusOf = (sent: WhatsAppSent, status: WhatsAppStatus, pricing?: object) => {
    const value = whatsapp.statusValue(sent, status, status === 'failed' ? { code: 131026 } : {});
    for (const one of (value as { statuses: object[] }).statuses) Object.assign(one, pricing && { pricing });
    return value;
  };
  /** Posts a status with a price, or without one. */
  const tell = async (sent: WhatsAppSent, status: WhatsAppStatus, pricing?: object) =>
    expect(await whatsapp.post(statusOf(sent, status, pricing))).toBe(200);
  const billingOf = async (id: string) =>
    (await scene.gateway.api<{ billing: BillingDto | null }>('GET', `/messages/${id}`)).body.data.billing;
  const usage = async (key?: string): Promise<PlatformUsageItemDto[]> =>
    (await scene.gateway.api<PlatformUsageDto>('GET', '/usage/platforms?period=1d', undefined, key ? { key } : {})).body
      .data.items;
  const usageOf = async (country: string) => (await usage()).filter((item) => item.country === country);

  it('is null until a callback arrives, and the furthest status wins, in any order', async () => {
    const { message_id: id } = await scene.send('493012345');
    const [sent] = scene.sentTo('493012345');
    expect(await billingOf(id)).toBeNull();
    await tell(sent!, 'delivered');
    expect(await billingOf(id)).toBeNull();
    await tell(sent!, 'sent', PRICING);
    const billing = { billable: true, category: 'service', model: 'PMP', cost_usd: 0.01 };
    expect(await billingOf(id)).toEqual({ ...billing, estimated: true });
    await tell(sent!, 'read', { ...PRICING, billable: false });
    await tell(sent!, 'delivered', PRICING);
    expect(await billingOf(id)).toEqual({ ...billing, billable: false, cost_usd: 0, estimated: false });
    const item = { platform: 'whatsapp', category: 'service', country: '+49', messages: 1, billable: 0, cost_usd: 0 };
    expect(await usageOf('+49')).toEqual([item]);
  });

  it('does not change once the message is delivered, whatever later callbacks and new prices say', async () => {
    const { message_id: id } = await scene.send('4219012345');
    const [sent] = scene.sentTo('4219012345');
    await patch({ platform_prices: { '+421': { service: 0.01 } } });
    await tell(sent!, 'delivered', PRICING);
    const billing = { billable: true, category: 'service', model: 'PMP', cost_usd: 0.01, estimated: false };
    expect(await billingOf(id)).toEqual(billing);
    await patch({ platform_prices: { '+421': { service: 0.02, utility: 0.03 } } });
    await tell(sent!, 'read', PRICING);
    await tell(sent!, 'read', { ...PRICING, category: 'utility' });
    await tell(sent!, 'failed');
    await tell(sent!, 'sent', PRICING);
    expect(await billingOf(id)).toEqual(billing);
    expect(await usageOf('+421')).toMatchObject([{ category: 'service', messages: 1, billable: 1, cost_usd: 0.01 }]);
  });

  it.each([
    ['PMP', 'regular', 'service', true],
    ['PMP', 'free_customer_service', 'utility', false],
    ['PMP', 'free_entry_point', 'marketing', false],
    ['CBP', undefined, 'utility', true],
    ['CBP', undefined, 'service', false],
    ['CBP', undefined, 'referral_conversion', false],
  ])('is read from a callback without `billable`: %s %s %s', async (pricing_model, type, category, billable) => {
    const { message_id: id } = await scene.send('7012345678');
    await tell(scene.sentTo('7012345678').at(-1)!, 'delivered', { pricing_model, type, category });
    expect(await billingOf(id)).toMatchObject({ billable, category, model: pricing_model });
  });

  it('adds up the parts of a message, each once however often its callback arrives', async () => {
    const { message_id: id } = await scene.send('33612345678', 'word '.repeat(1_500));
    const parts = scene.sentTo('33612345678');
    expect(parts).toHaveLength(2);
    await patch({ platform_prices: { '+33': { service: 0.03 } } });
    for (const status of ['sent', 'delivered', 'delivered', 'read'] as const)
      await Promise.all(parts.map((part) => tell(part, status, PRICING)));
    expect(await billingOf(id)).toMatchObject({ cost_usd: 0.06, estimated: false });
    expect(await usageOf('+33')).toMatchObject([{ messages: 2, billable: 2, cost_usd: 0.06 }]);
  });

  it('has no cost without a price, and follows the category', async () => {
    const { message_id: id } = await scene.send('15550109999');
    const [sent] = scene.sentTo('15550109999');
    await tell(sent!, 'sent', { ...PRICING, category: 'utility' });
    await tell(sent!, 'delivered', PRICING);
    expect(await billingOf(id)).toMatchObject({ category: 'service', cost_usd: null });
    expect(await usageOf('+1')).toMatchObject([{ category: 'service', messages: 1, billable: 1, cost_usd: null }]);
  });

  it.each([
    ['35220000001', 'with', (sent: WhatsAppSent) => [[statusOf(sent, 'sent', PRICING), statusOf(sent, 'failed')]]],
    ['35220000002', 'after', (sent: WhatsAppSent) => [[statusOf(sent, 'sent', PRICING)], [statusOf(sent, 'failed')]]],
    ['35220000003', 'before', (sent: WhatsAppSent) => [[statusOf(sent, 'failed')], [statusOf(sent, 'sent', PRICING)]]],
  ])('shows the planned billing of a message to %s if its failure comes %s its price', async (recipient, _, told) => {
    const { message_id: id } = await scene.send(recipient);
    const before = await usageOf('+352');
    for (const values of told(scene.sentTo(recipient)[0]!))
      expect(new Set(await Promise.all(values.map((value) => whatsapp.post(value))))).toEqual(new Set([200]));
    expect(await billingOf(id)).toEqual({
      billable: false,
      category: 'service',
      model: 'PMP',
      cost_usd: 0,
      estimated: false,
    });
    expect(await usageOf('+352')).toMatchObject([{ messages: (before[0]?.messages ?? 0) + 1, billable: 0 }]);
  });

  it('is kept if a callback arrives before the response to the send', async () => {
    whatsapp.beforeAnswer = (sent) => tell(sent, 'sent', PRICING);
    const { message_id: id } = await scene.send('39012345678');
    whatsapp.beforeAnswer = () => Promise.resolve();
    await eventually('the price is known', async () => expect(await billingOf(id)).toMatchObject({ billable: true }));
    expect(await usageOf('+39')).toMatchObject([{ messages: 1 }]);
  });

  it.each([{ ...PRICING, billable: 'yes' }, { billable: true }, 'free', null])(
    'ignores the price %j',
    async (pricing) => {
      const { message_id: id } = await scene.send('81312345678');
      await tell(scene.sentTo('81312345678').at(-1)!, 'delivered', pricing as object);
      expect(await billingOf(id)).toBeNull();
    },
  );

  it('is simulated by the sandbox on request', async () => {
    const key = scene.gateway.testKey;
    const request = { platform: 'whatsapp', recipient: '493099999', message: 'Hello', sandbox_billed: true };
    const live = await scene.gateway.api('POST', '/messages/send', request);
    expect(live.body.error).toMatchObject({ code: 'INVALID_PARAMETER', details: { parameter: 'sandbox_billed' } });
    const { body } = await scene.gateway.api<SendResultDto>('POST', '/messages/send', request, { key });
    await eventually('it is billed', async () => {
      const { body: read } = await scene.gateway.api<{ billing: object }>(
        'GET',
        `/messages/${body.data.message_id}`,
        undefined,
        { key },
      );
      expect(read.data.billing).toMatchObject({ billable: true, category: 'service', cost_usd: null });
      expect(await usage(key)).toMatchObject([{ country: '+49', messages: 1 }]);
    });
  });

  it('is summed up over the period, as in the statistics', async () => {
    const { body } = await scene.gateway.api<PlatformUsageDto>('GET', '/usage/platforms?period=30d');
    expect(body.data).toEqual({
      period: { start: expect.any(String) as string, end: expect.any(String) as string },
      items: expect.arrayContaining([
        { platform: 'whatsapp', category: 'service', country: '+49', messages: 1, billable: 0, cost_usd: 0 },
      ]) as object[],
    });
    expect(Date.parse(body.data.period.start) % 86_400_000).toBe(0);
    expect((await scene.gateway.api('GET', '/usage/platforms?period=2d')).body.error).toMatchObject({
      code: 'INVALID_PARAMETER',
      details: { parameter: 'period' },
    });
  });

  it.each([
    [{ platform_prices: { '49': { service: 1 } } }, 'platform_prices.49'],
    [{ platform_prices: { '+49': { service: -1 } } }, 'platform_prices.+49.service'],
    [{ platform_prices: { '+49': { other: 1 } } }, 'platform_prices.+49.other'],
    [{ rate_limits: { billable_messages_per_day: 0 } }, 'rate_limits.billable_messages_per_day'],
  ])('refuses the settings %j', async (settings, parameter) => {
    const { status, body } = await scene.gateway.api('PATCH', '/admin/settings', settings);
    expect({ status, details: body.error?.details }).toMatchObject({ status: 400, details: { parameter } });
  });

  describe('with a daily limit', () => {
    const key = () => scene.gateway.testKey;
    const send = (message = 'Hello', more: object = {}, recipient = '493077777') =>
      scene.gateway.api<SendResultDto>(
        'POST',
        '/messages/send',
        { platform: 'whatsapp', recipient, message, ...more },
        { key: key() },
      );
    const dayCount = async () =>
      (
        await scene.gateway.sql<{ messages: number }>(`SELECT messages FROM billable_days WHERE environment = 'test'`)
      )[0]?.messages;
    const live = async () =>
      (
        await scene.gateway.sql<{ messages: number }>(
          `SELECT messages FROM billable_days WHERE environment = 'live' ORDER BY day`,
        )
      )[0]!.messages;
    const write = (id: string, content = 'Hello?') =>
      scene.gateway.api('POST', '/sandbox/inbound', { platform: 'whatsapp', sender: { id }, content }, { key: key() });
    const closings = async () =>
      (
        await scene.gateway.sql(
          `SELECT FROM messages WHERE content = 'A colleague will answer you.' AND sent_at IS NOT NULL`,
        )
      ).length;
    const setLimit = (limit: number | null) => patch({ rate_limits: { billable_messages_per_day: limit } }, key());

    it('refuses sends above the limit, and counts what was billed before it was set', async () => {
      await setLimit(3);
      expect((await send('word '.repeat(1_500))).status).toBe(200);
      expect(await dayCount()).toBe(3);
      const { status, headers, body } = await send();
      expect(status).toBe(429);
      expect(body.error).toMatchObject({
        code: 'RATE_LIMIT_EXCEEDED',
        details: { scope: 'billable', limit: 3, window_seconds: 86_400 },
      });
      expect(Number(headers['retry-after'])).toBeGreaterThan(0);
      expect((await send('word '.repeat(3_200))).body.error).toMatchObject({ details: { retry_after_seconds: null } });
      expect((await send('Hello', { platform: 'telegram', recipient: '7' })).status).toBe(200);
    });

    it('is never exceeded by concurrent sends', async () => {
      await setLimit(8);
      const results = await Promise.all(Array.from({ length: 12 }, () => send()));
      expect(results.filter(({ status }) => status === 200)).toHaveLength(5);
      expect(await dayCount()).toBe(8);
    });

    it('counts a scheduled message on the day it is sent, until it is cancelled', async () => {
      const send_at = new Date(Date.now() + 3 * 86_400_000).toISOString();
      const { body } = await send('Later', { send_at });
      const days = () =>
        scene.gateway.sql<{ messages: number }>(
          `SELECT messages FROM billable_days WHERE environment = 'test' ORDER BY day`,
        );
      expect(await days()).toEqual([{ messages: 8 }, { messages: 1 }]);
      await scene.gateway.api('DELETE', `/messages/${body.data.message_id}`, undefined, { key: key() });
      expect(await days()).toEqual([{ messages: 8 }, { messages: 0 }]);
    });

    it('requests a person instead of a reply, until the next day', async () => {
      await patch({ ai: { auto_reply: true } }, key());
      await write('493088888');
      const midnight = new Date(Math.ceil(Date.now() / 86_400_000) * 86_400_000);
      await eventually('a person is requested', async () => {
        const { body } = await scene.gateway.api<{ handling: string; handover: { resume_at: string } }[]>(
          'GET',
          '/conversations?handling=requested',
          undefined,
          { key: key() },
        );
        expect(body.data).toMatchObject([{ handling: 'requested', handover: { reason: 'budget' } }]);
        const resumeAt = Date.parse(body.data[0]!.handover.resume_at);
        expect(Math.abs(resumeAt - midnight.getTime())).toBeLessThan(5_000);
      });
      const events = await scene.gateway.sql(
        `SELECT FROM events WHERE type = 'ai.rate_limited' AND body::jsonb -> 'data' ->> 'scope' = 'billable'`,
      );
      expect(events).toHaveLength(1);
    });

    it('counts a reply with all its parts', async () => {
      await setLimit(9);
      await write('493066666');
      await eventually('it is answered', async () => {
        const rows = await scene.gateway.sql(
          `SELECT FROM messages WHERE sent_by = 'assistant' AND environment = 'test'`,
        );
        expect(rows).toHaveLength(1);
      });
      expect(await dayCount()).toBe(9);
    });

    it('counts the closing message of a request for a person, which is sent even above the limit', async () => {
      const count = (await dayCount())!;
      await setLimit(count);
      await patch({ handover: { phrases: ['a person'], closing_message: 'A colleague will answer you.' } }, key());
      const before = await closings();
      for (const id of ['493022221', '493022222']) await write(id, 'A person, please');
      await eventually('both are sent', async () => expect(await closings()).toBe(before + 2));
      expect(await dayCount()).toBe(count + 2);
      expect((await send()).status).toBe(429);
      await setLimit(count + 10);
    });

    it('locks the day last, so a waiting take_over delays no other send', async () => {
      await withClient(scene.gateway.databaseUrl, async (other) => {
        await other.query('BEGIN');
        await other.query(
          `SELECT 1 FROM handovers JOIN conversations c ON c.id = conversation_id
           WHERE c.participant_id = '493022221' FOR UPDATE OF handovers`,
        );
        const waiting = send('It is me', { options: { take_over: true } }, '493022221');
        await eventually('it waits', async () => {
          const statements = await scene.gateway.sql(
            `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%handovers%'`,
          );
          expect(statements).toHaveLength(1);
        });
        expect((await send()).status).toBe(200);
        await other.query('ROLLBACK');
        expect((await waiting).status).toBe(200);
      });
    });

    it('is given back if the platform refuses the message, or a callback says it is not billed', async () => {
      await patch({ rate_limits: { billable_messages_per_day: 1_000 } });
      const { message_id: id } = await scene.send('493055555');
      const before = await live();
      const [sent] = scene.sentTo('493055555');
      await tell(sent!, 'sent', PRICING);
      expect(await live()).toBe(before);
      await tell(sent!, 'failed', PRICING);
      expect(await live()).toBe(before - 1);
      expect(await billingOf(id)).toMatchObject({ billable: false, cost_usd: 0 });
      whatsapp.refuseNextSend(131026);
      await scene.send('493055555', 'Refused');
      expect(await live()).toBe(before - 1);
    });

    it('is given back if a message is not stored', async () => {
      const before = await live();
      await scene.gateway.sql(`ALTER TABLE messages ADD CONSTRAINT refused CHECK (content <> 'refuse me')`);
      const request = { platform: 'whatsapp', recipient: '493055555', message: 'refuse me' };
      expect((await scene.gateway.api('POST', '/messages/send', request)).status).toBe(500);
      await scene.gateway.sql(`ALTER TABLE messages DROP CONSTRAINT refused`);
      expect(await live()).toBe(before);
    });

    it('is given back for unsent parts if the window closes in the middle', async () => {
      const from = '493044444';
      whatsapp.receiveText({ from, text: 'Hello?' });
      await eventually('it is stored', async () =>
        expect(await scene.gateway.sql('SELECT FROM conversations WHERE participant_id = $1', [from])).toHaveLength(1),
      );
      const before = await live();
      whatsapp.beforeAnswer = () => Promise.resolve(whatsapp.refuseNextSend(4));
      const { message_id: id, status } = await scene.send(from, 'word '.repeat(1_500));
      whatsapp.beforeAnswer = () => Promise.resolve();
      expect([status, await live()]).toEqual(['pending', before + 2]);
      await scene.gateway.sql(
        `UPDATE conversations SET last_inbound_at = now() - interval '25 hours' WHERE participant_id = $1`,
        [from],
      );
      await scene.gateway.sql('UPDATE message_tasks SET next_at = now()');
      await eventually('it has failed', async () =>
        expect(await scene.read(id)).toMatchObject({ status: 'failed', error: { code: 'window_closed' } }),
      );
      expect(scene.sentTo(from)).toHaveLength(1);
      expect(await live()).toBe(before + 1);
    });

    it('is given back if a scheduled message is erased', async () => {
      const at = new Date(Date.now() + 5 * 86_400_000).toISOString();
      const day = async () =>
        (
          await scene.gateway.sql<{ messages: number }>('SELECT messages FROM billable_days WHERE day = $1', [
            at.slice(0, 10),
          ])
        )[0]!.messages;
      const recipient = '493033333';
      await send('Later', { send_at: at }, recipient);
      expect(await day()).toBe(1);
      const { body } = await scene.gateway.api<{ id: string }[]>('GET', `/conversations?q=${recipient}`, undefined, {
        key: key(),
      });
      await scene.gateway.api('DELETE', `/conversations/${body.data[0]!.id}`, undefined, { key: key() });
      await eventually('the room is back', async () => expect(await day()).toBe(0));
    });

    it('is given back once if a message fails by callbacks without a price, and its bill says not billable', async () => {
      const before = await live();
      const { message_id: priced } = await scene.send('35312345678', 'Priced');
      const { message_id: unpriced } = await scene.send('35312345678', 'Unpriced');
      const [first, second] = scene.sentTo('35312345678');
      await tell(first!, 'sent', PRICING);
      expect(await live()).toBe(before + 2);
      for (const sent of [first!, second!, first!, second!]) await tell(sent, 'failed');
      expect(await live()).toBe(before);
      expect(await billingOf(priced)).toMatchObject({ billable: false, category: 'service', cost_usd: 0 });
      expect(await billingOf(unpriced)).toBeNull();
      expect(await usageOf('+353')).toMatchObject([{ messages: 1, billable: 0 }]);
    });
  });
});
