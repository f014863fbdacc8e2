import type { AiStatusDto, GeneratedDto } from '../../../src/ai/dto/ai.dto';
import type { AiProviderDto, AiProviderModelDto } from '../../../src/ai/dto/provider.dto';
import { AnthropicFake } from '../../fakes/anthropic.fake';
import { OpenAiFake } from '../../fakes/openai.fake';
import { expectedError, expectedSuccess } from '../../support/expected';
import { eventually } from '../../support/eventually';
import { startTestGateway, type TestGateway } from '../../support/gateway';

const START_TIMEOUT_MS = 90_000;

describe('AI providers that the API sets', () => {
  let anthropic: AnthropicFake;
  let openai: OpenAiFake;
  let gateway: TestGateway;

  beforeAll(async () => {
    [anthropic, openai] = await Promise.all([new AnthropicFake().start(), new OpenAiFake().start()]);
    gateway = await startTestGateway({ anthropic, env: { AI_ALLOWED_CIDRS: '127.0.0.0/8' } });
  }, START_TIMEOUT_MS);
  beforeEach(() => openai.replyWith(() => 'GPT here.'));
  afterEach(() => gateway.api('DELETE', '/ai/providers/openai'));

  const set = (body: object, { name = 'openai', key }: { name?: string; key?: string } = {}) =>
    gateway.api<AiProviderDto>('PUT', `/ai/providers/${name}`, body, { key });
  const list = async (of = gateway) => (await of.api<AiProviderDto[]>('GET', '/ai/providers')).body.data;
  const ask = (of = gateway, model = 'openai/gpt-5-mini') =>
    of.api<GeneratedDto>('POST', '/ai/generate', { message: 'Hello', options: { model } });
  const access = () => ({ api_key: openai.apiKey, base_url: openai.baseUrl });

  it('are listed with their source, and work at once, until they are deleted', async () => {
    const none = { name: 'openai', configured: false, base_url: null, source: null };
    expect(await list()).toEqual([
      { name: 'anthropic', configured: true, base_url: anthropic.url, source: 'environment' },
      none,
    ]);
    expect(await ask()).toMatchObject(
      expectedError('AI_PROVIDER_ERROR', { provider: 'openai', type: 'not_configured', retryable: false }),
    );

    const shown = { name: 'openai', configured: true, base_url: openai.baseUrl, source: 'api' };
    expect(await set(access())).toMatchObject({ status: 200, body: expectedSuccess(shown) });
    expect((await list())[1]).toEqual(shown);
    expect(await ask()).toMatchObject({
      status: 200,
      body: { data: { response: 'GPT here.', model: 'openai/gpt-5-mini' } },
    });
    const { body } = await gateway.api<AiStatusDto>('GET', '/ai/status');
    expect(body.data.providers.map(({ name }) => name)).toEqual(['anthropic', 'openai']);

    const deleted = await gateway.api('DELETE', '/ai/providers/openai');
    expect(deleted).toMatchObject({ status: 200, body: expectedSuccess({ name: 'openai', deleted: true }) });
    expect((await list())[1]).toEqual(none);
    expect(await gateway.api('DELETE', '/ai/providers/openai')).toMatchObject({ status: 404 });
  });

  it('end the problem that no AI is set up', async () => {
    const without = await startTestGateway({ env: { AI_ALLOWED_CIDRS: '127.0.0.0/8' } });
    const problems = async () =>
      (await without.api<{ title: string }[]>('GET', '/problems')).body.data.map(({ title }) => title);
    const titles = ['No AI is set up: the assistant answers nobody.'];
    expect(await without.api('POST', '/ai/generate', { message: 'Hello' })).toMatchObject({ status: 500 });
    await eventually('the problem is listed', async () => expect(await problems()).toEqual(titles));
    await without.api('PUT', '/ai/providers/anthropic', { api_key: anthropic.apiKey, base_url: anthropic.url });
    expect(await problems()).toEqual([]);
    await without.stop();
  });

  it('win over those of the environment', async () => {
    const other = await new AnthropicFake({ apiKey: 'sk-ant-other' }).start();
    other.replyWith(() => 'Another Claude.');
    expect(await set({ api_key: 'sk-ant-other', base_url: other.url }, { name: 'anthropic' })).toMatchObject({
      status: 200,
    });
    expect(await ask(gateway, 'claude-haiku-4-5')).toMatchObject({ body: { data: { response: 'Another Claude.' } } });
    await gateway.api('DELETE', '/ai/providers/anthropic');
    expect(await ask(gateway, 'claude-haiku-4-5')).toMatchObject({ body: { data: { response: 'You said: Hello' } } });
  });

  it('need no key for a server without keys', async () => {
    const local = await new OpenAiFake({ apiKey: null, dialect: 'ollama' }).start();
    expect(await set({ api_key: null, base_url: local.baseUrl })).toMatchObject({ status: 200 });
    expect(await ask()).toMatchObject({ status: 200 });
    expect(local.requests.at(-1)!.headers).not.toHaveProperty('authorization');
  });

  it('list their models by names that mean them when they are sent back', async () => {
    openai.models = ['gpt-5-mini', 'openai/gpt-oss-20b'];
    await set(access());
    const models = () => gateway.api<AiProviderModelDto[]>('GET', '/ai/providers/openai/models');
    expect(await models()).toMatchObject({
      status: 200,
      body: expectedSuccess([
        { id: 'gpt-5-mini', name: 'openai/gpt-5-mini' },
        { id: 'openai/gpt-oss-20b', name: 'openai/openai/gpt-oss-20b' },
      ]),
    });
    anthropic.models = ['claude-haiku-4-5'];
    const anthropics = () => gateway.api('GET', '/ai/providers/anthropic/models').then(({ body }) => body.data);
    expect(await anthropics()).toEqual([{ id: 'claude-haiku-4-5', name: 'claude-haiku-4-5' }]);
    // A bare name now means OpenAI's model.
    await gateway.api('PATCH', '/admin/settings', { ai: { provider: 'openai' } });
    expect(await anthropics()).toEqual([{ id: 'claude-haiku-4-5', name: 'anthropic/claude-haiku-4-5' }]);
    await gateway.api('PATCH', '/admin/settings', { ai: { provider: 'anthropic' } });
    anthropic.models = undefined;
    openai.models = undefined;
    expect((await models()).body.data).toEqual([]);
    openai.models = ['gpt-5-mini'];
    await set({ ...access(), api_key: 'sk-wrong' });
    const refused = await models();
    expect(refused).toMatchObject(
      expectedError('AI_PROVIDER_ERROR', { provider: 'openai', type: 'authentication', retryable: false }),
    );
    expect(JSON.stringify(refused.body)).not.toContain('sk-wrong');
  });

  it.each([
    [{ base_url: null }, 'api_key'],
    [{ api_key: '', base_url: null }, 'api_key'],
    [{ api_key: 'two words', base_url: null }, 'api_key'],
    [{ api_key: null, base_url: null }, 'base_url'],
    [{ api_key: null }, 'base_url'],
    [{ api_key: 'sk', base_url: 'ftp://host' }, 'base_url'],
    [{ api_key: 'sk', base_url: 'https://user:pass@api.example/v1' }, 'base_url'],
    [{ api_key: 'sk', base_url: 'https://10.0.0.1/v1' }, 'base_url'],
    [{ api_key: 'sk', base_url: 'http://169.254.169.254/v1' }, 'base_url'],
    [{ api_key: 'sk', base_url: 'https://api.example/v1#part' }, 'base_url'],
  ])('refuse %j', async (body, parameter) => {
    const code = 'api_key' in body ? 'INVALID_PARAMETER' : 'MISSING_PARAMETER';
    const refused = await set(body);
    expect(refused).toMatchObject({ status: 400, body: { error: { code, details: { parameter } } } });
    expect(JSON.stringify(refused.body)).not.toContain('user:pass');
  });

  it('do not follow a redirect into the network of the operator', async () => {
    await set(access());
    openai.fail({ status: 307, headers: { location: 'http://10.255.255.1/v1/models' } });
    expect(await gateway.api('GET', '/ai/providers/openai/models')).toMatchObject(
      expectedError('AI_PROVIDER_ERROR', { provider: 'openai', type: 'unavailable', retryable: true }),
    );
  });

  it('are not for test keys, keys without the scope, and keys with a budget', async () => {
    const operations = [
      ['GET', '/ai/providers'],
      ['GET', '/ai/providers/openai/models'],
      ['PUT', '/ai/providers/openai'],
      ['DELETE', '/ai/providers/openai'],
    ] as const;
    const reader = await gateway.createKey({ scopes: ['read:status'] });
    const made = await gateway.api<{ key: string }>('POST', '/admin/api-keys', {
      name: 'Bound',
      scopes: ['admin:settings'],
      ai_budget: { daily_usd: 1 },
    });
    for (const [method, path] of operations) {
      const body = method === 'PUT' ? access() : undefined;
      const code = (key: string) => gateway.api(method, path, body, { key }).then((answer) => answer.body);
      expect(await code(gateway.testKey)).toMatchObject({ error: { code: 'RESOURCE_NOT_FOUND' } });
      expect(await code(reader)).toMatchObject({ error: { code: 'INSUFFICIENT_PERMISSIONS' } });
      if (method === 'GET') continue;
      expect(await code(made.body.data.key)).toMatchObject({ error: { code: 'INSUFFICIENT_PERMISSIONS' } });
    }
    expect(await set(access(), { name: 'gemini' })).toMatchObject({ status: 404 });
  });

  it('are stored encrypted, and never leave', async () => {
    const { body } = await set(access());
    expect(JSON.stringify(body)).not.toContain(openai.apiKey);
    const [row] = await gateway.sql<{ api_key: Buffer }>('SELECT api_key FROM ai_providers');
    expect(row!.api_key.toString('latin1')).not.toContain(openai.apiKey);
    const audit = await gateway.api('GET', '/admin/audit-log?limit=50');
    expect(JSON.stringify(audit.body)).not.toContain(openai.apiKey);
    // A row that was copied to another address cannot be read there.
    await gateway.sql(`UPDATE ai_providers SET base_url = base_url || '?to=elsewhere'`);
    await set(access(), { name: 'anthropic' });
    expect((await list()).map(({ configured }) => configured)).toEqual([true, false]);
    await gateway.api('DELETE', '/ai/providers/anthropic');
  });

  it(
    'work on all instances, and decide the provider of the settings',
    async () => {
      const first = await startTestGateway({ env: { AI_ALLOWED_CIDRS: '127.0.0.0/8' } });
      const second = await startTestGateway({
        databaseUrl: first.databaseUrl,
        env: { AI_ALLOWED_CIDRS: '127.0.0.0/8' },
      });
      const provider = async () => (await second.api<AiStatusDto>('GET', '/ai/status')).body.data;
      expect(await provider()).toMatchObject({ provider: 'anthropic', status: 'unavailable', configured: false });
      await first.api('PUT', '/ai/providers/openai', access());
      await eventually('the other instance has the key', async () => {
        expect(await provider()).toMatchObject({
          provider: 'openai',
          model: 'openai/gpt-5-mini',
          status: 'available',
          configured: true,
        });
      });
      expect(await ask(second)).toMatchObject({ status: 200 });
      await second.api('DELETE', '/ai/providers/openai');
      await eventually('the first instance has no key', async () => {
        expect((await list(first)).map(({ configured }) => configured)).toEqual([false, false]);
      });
      await Promise.all([first.stop(), second.stop()]);
    },
    START_TIMEOUT_MS,
  );

  it(
    'are disabled after a restore until the operator sets them again',
    async () => {
      const before = await startTestGateway({ env: { AI_ALLOWED_CIDRS: '127.0.0.0/8' } });
      await before.api('PUT', '/ai/providers/openai', access());
      await before.sql(`INSERT INTO deployment (name, value) VALUES ('restored at', $1)`, [
        new Date(Date.now() + 2_000).toISOString(),
      ]);
      await before.stop();
      const after = await startTestGateway({
        databaseUrl: before.databaseUrl,
        env: { AI_ALLOWED_CIDRS: '127.0.0.0/8' },
      });
      expect((await list(after))[1]).toEqual({
        name: 'openai',
        configured: false,
        base_url: openai.baseUrl,
        source: 'api',
      });
      await after.stop();
    },
    START_TIMEOUT_MS,
  );
});
