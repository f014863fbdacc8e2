import type { Settings } from '../../../src/core/settings/settings';
import { eventually } from '../../support/eventually';
import { expectedError, expectedSuccess } from '../../support/expected';
import { startTestGateway, useGateway } from '../../support/gateway';

describe('Settings', () => {
  const gateway = useGateway();

  const read = async (instance = gateway, key?: string) =>
    (await instance.api<Settings>('GET', '/admin/settings', undefined, { key })).body.data;
  const change = (body: unknown, key?: string) => gateway.api<Settings>('PATCH', '/admin/settings', body, { key });

  it('are returned as a whole', async () => {
    const answer = await gateway.api('GET', '/admin/settings');
    expect(answer).toMatchObject({
      status: 200,
      body: expectedSuccess({
        ai: {
          provider: 'anthropic',
          model: expect.any(String) as string,
          temperature: expect.any(Number) as number,
          max_tokens: expect.any(Number) as number,
          system_prompt: expect.any(String) as string,
          context_messages: 20,
          auto_reply: true,
          answer_within_minutes: 10,
          fallback_models: [],
          prices: {},
          max_tokens_limit: 8_192,
          budget: { daily_usd: 50, monthly_usd: null },
        },
        rate_limits: { messages_per_minute: 60, replies_per_minute: 600 },
        webhooks: { max_endpoints: 50 },
        conversations: { archive_after_days: 30 },
        notifications: { owner_email: null },
        retention: { audit_days: 90, delivery_days: 30, event_days: 30, message_days: null },
      }),
    });
  });

  it('change the named fields, keep the rest, and are returned as a whole', async () => {
    const before = await read();
    const answer = await change({
      ai: { temperature: 0.3, max_tokens: 500 },
      rate_limits: { messages_per_minute: 90 },
    });
    const after = {
      ...before,
      ai: { ...before.ai, temperature: 0.3, max_tokens: 500 },
      rate_limits: { messages_per_minute: 90, replies_per_minute: 600, billable_messages_per_day: null },
    };
    expect(answer).toMatchObject({ status: 200, body: expectedSuccess(after) });
    expect(await read()).toEqual(after);
  });

  it('accept prices by model, and remove them', async () => {
    await change({ ai: { prices: { 'model-a': { input: 1, output: 2 }, 'model-b': { input: 3, output: 4 } } } });
    const { ai } = (await change({ ai: { prices: { 'model-a': { output: 5 }, 'model-b': null } } })).body.data;
    expect(ai.prices).toEqual({ 'model-a': { input: 1, output: 5 } });
  });

  it.each([
    [{ ai: { temperature: 1.1 } }, 'ai.temperature'],
    [{ ai: { temperature: '0.5' } }, 'ai.temperature'],
    [{ ai: { max_tokens: 0 } }, 'ai.max_tokens'],
    [{ ai: { provider: 'other' } }, 'ai.provider'],
    [{ ai: { model: '' } }, 'ai.model'],
    [{ ai: { auto_reply: 'yes' } }, 'ai.auto_reply'],
    [{ ai: { answer_within_minutes: 1_441 } }, 'ai.answer_within_minutes'],
    [{ ai: { answer_within_minutes: -1 } }, 'ai.answer_within_minutes'],
    [{ ai: { fallback_models: ['a', 7] } }, 'ai.fallback_models[1]'],
    [{ ai: { prices: { m: { input: -1 } } } }, 'ai.prices.m.input'],
    [{ ai: { prices: { m: { in: 1 } } } }, 'ai.prices.m.in'],
    [{ ai: { prices: { m: { input: 1 } } } }, 'ai.prices.m.output'],
    [{ ai: { prices: { m: { output: 1, cache_read: 1 } } } }, 'ai.prices.m.input'],
    [{ ai: { prices: { ' ': { input: 1, output: 1 } } } }, 'ai.prices. '],
    [{ ai: { model: ' \t' } }, 'ai.model'],
    [{ ai: { fallback_models: ['a', ' '] } }, 'ai.fallback_models[1]'],
    [{ ai: { api_key: 'x' } }, 'ai.api_key'],
    [{ ai: null }, 'ai'],
    [{ secrets: {} }, 'secrets'],
    [{ rate_limits: { messages_per_minute: 100_001 } }, 'rate_limits.messages_per_minute'],
    [{ notifications: { owner_email: 'nobody' } }, 'notifications.owner_email'],
    [{ notifications: { owner_email: 'a\u0000@example.com' } }, 'notifications.owner_email'],
    [{ ai: { system_prompt: '\ud800' } }, 'ai.system_prompt'],
    [{ conversations: { archive_after_days: 1.5 } }, 'conversations.archive_after_days'],
    [{ retention: [] }, 'retention'],
  ])('refuse %j', async (body, parameter) => {
    const before = await read();
    const answer = await change(body);
    expect(answer).toMatchObject({
      status: 400,
      body: { success: false, error: { code: 'INVALID_PARAMETER', details: { parameter } } },
    });
    expect(await read()).toEqual(before);
  });

  it('refuse a price without input or output', async () => {
    const { body } = await change({ ai: { prices: { empty: {} } } });
    expect(body.error).toMatchObject({
      code: 'INVALID_PARAMETER',
      details: { errors: [{ parameter: 'ai.prices.empty.input' }, { parameter: 'ai.prices.empty.output' }] },
    });
  });

  it('report every fault at once', async () => {
    const { body } = await change({ ai: { temperature: 2, colour: 'red' }, rate_limits: { messages_per_minute: 0 } });
    expect(body.error).toMatchObject({
      code: 'INVALID_PARAMETER',
      details: {
        errors: [
          { parameter: 'ai.temperature' },
          { parameter: 'ai.colour' },
          { parameter: 'rate_limits.messages_per_minute' },
        ],
      },
    });
  });

  it.each(['[]', '"text"', '5', 'null'])('refuse the body %s', async (body) => {
    expect(await change(body)).toMatchObject({ status: 400, body: { error: { code: 'INVALID_REQUEST' } } });
  });

  it('lose none of many concurrent partial changes', async () => {
    const models = Array.from({ length: 20 }, (_, index) => `concurrent-${index}`);
    await Promise.all(models.map((model) => change({ ai: { prices: { [model]: { input: 1, output: 1 } } } })));
    expect(Object.keys((await read()).ai.prices)).toEqual(expect.arrayContaining(models));
  });

  it('of test keys are separate', async () => {
    await change({ retention: { audit_days: 7 } }, gateway.testKey);
    expect((await read(gateway, gateway.testKey)).retention.audit_days).toBe(7);
    expect((await read()).retention.audit_days).toBe(90);
  });

  it('apply on another instance within a second, and survive a restart', async () => {
    const other = await startTestGateway({ databaseUrl: gateway.databaseUrl });
    await change({ rate_limits: { messages_per_minute: 1 } }, gateway.testKey);
    const key = await other.createKey({ environment: 'test' });
    const send = () =>
      other.api('POST', '/messages/send', { platform: 'telegram', recipient: '1', message: 'x' }, { key });
    await eventually(
      'the limit holds',
      async () => {
        await send();
        expect((await send()).body.error?.details).toMatchObject({ limit: 1, window_seconds: 60 });
      },
      { timeoutMs: 1_000 },
    );
    await other.stop();
    const restarted = await startTestGateway({ databaseUrl: gateway.databaseUrl });
    expect((await read(restarted, gateway.testKey)).rate_limits.messages_per_minute).toBe(1);
    await restarted.stop();
  });

  it.each([{}, { ai: {} }, { ai: {}, rate_limits: { messages_per_minute: 7 } }])(
    'need at least one change: %j',
    async (body) => {
      expect(await change(body)).toMatchObject(
        expectedError('INVALID_REQUEST', { reason: 'the body, and each group in it, must have at least one setting' }),
      );
    },
  );

  it('need admin:settings', async () => {
    const key = await gateway.createKey({ scopes: ['admin:users'] });
    expect(await change({}, key)).toMatchObject(
      expectedError('INSUFFICIENT_PERMISSIONS', { required_scope: 'admin:settings', key_scopes: ['admin:users'] }),
    );
  });
});
