import { NotCheckable } from '#contracts';
import { AnthropicFake } from '../../../test/fakes/anthropic.fake';
import { OpenAiFake } from '../../../test/fakes/openai.fake';
import { loadConfiguration } from '../../core/config/load-configuration';
import { DoctorDatabase } from '../../core/doctor/doctor-database';
import { configuredSecrets } from '../../core/secrets/deployment-secrets';
import { SecretBox } from '../../core/secrets/secret-box.service';
import { placeOfKey } from '../providers/place-of-key';
import { AiCheck } from './ai.check';

/** The row of the settings, and nothing else. */
class SettingsRow extends DoctorDatabase {
  constructor(
    private readonly row?: object,
    private readonly providers: object[] = [],
  ) {
    super(() => Promise.reject(new Error('away')));
  }

  override query<Row>(text: string): Promise<Row[]> {
    if (text.includes('ai_providers')) return Promise.resolve(this.providers as Row[]);
    if (this.row === undefined) return Promise.reject(new NotCheckable('away'));
    return Promise.resolve([{ document: this.row } as Row]);
  }
}

describe(AiCheck.name, () => {
  const provider = new AnthropicFake();
  beforeAll(() => provider.start());
  afterAll(() => provider.stop());
  beforeEach(() => {
    provider.models = ['claude-sonnet-5-5', 'claude-haiku-5'];
  });

  /** The lines as a person reads them. */
  const check = async (env: NodeJS.ProcessEnv = {}, settings?: object, providers?: object[]): Promise<string[]> => {
    const configuration = loadConfiguration({
      ANTHROPIC_API_KEY: provider.apiKey,
      ANTHROPIC_BASE_URL: provider.url,
      ...env,
    });
    const found = await new AiCheck(configuration, new SettingsRow(settings, providers)).check(
      AbortSignal.timeout(20_000),
    );
    return found.map(({ name, message }) => `${name}: ${message}`);
  };

  it('looks up the model without sending a message', async () => {
    expect(await check()).toEqual(['ai: the key is valid, and claude-sonnet-5-5 is offered']);
    expect(await check({ ANTHROPIC_API_KEY: '' })).toEqual([
      'ai: not configured: neither ANTHROPIC_API_KEY nor OPENAI_API_KEY is set',
    ]);
    expect(provider.requestsOf('messages')).toEqual([]);
  });

  it('reports a rejected key without printing it', async () => {
    const [line] = await check({ ANTHROPIC_API_KEY: 'sk-ant-hunter2' });
    expect(line).toMatch(/^ai\.key-refused: The AI provider answered 401/);
    expect(line).not.toContain('hunter2');
  });

  it('reports models that are not offered', async () => {
    expect(await check({ AI_MODEL: 'claude-2' })).toEqual(['ai.model-unknown: The provider does not offer claude-2']);
    const settings = { ai: { model: 'claude-haiku-5', fallback_models: ['claude-sonnet-5-5', 'claude-1'] } };
    expect(await check({}, settings)).toEqual(['ai.model-unknown: The provider does not offer claude-1']);
  });

  it('reports a provider that does not respond, and one that responds with an error', async () => {
    expect(await check({ ANTHROPIC_BASE_URL: 'http://127.0.0.1:9' })).toEqual([
      expect.stringMatching(/^ai\.unreachable: The AI provider could not be reached/),
    ]);
    provider.fail({ status: 529 });
    expect(await check()).toEqual([expect.stringMatching(/^ai\.unreachable: The AI provider answered 529/)]);
  });

  it('looks at each configured provider, and finds a model whose provider has no key', async () => {
    const openai = await new OpenAiFake({ apiKey: null }).start();
    openai.models = ['llama'];
    const both = { OPENAI_BASE_URL: openai.baseUrl };
    const models = { model: 'openai/llama', fallback_models: ['claude-haiku-5', 'openai/tiny'] };
    expect(await check(both, { ai: models })).toEqual([
      'ai: anthropic: the key is valid, and claude-haiku-5 is offered',
      'ai.model-unknown: openai: The provider does not offer tiny',
    ]);
    expect(await check({ ...both, ANTHROPIC_API_KEY: '' }, { ai: { model: 'llama' } })).toEqual([
      'ai: the key is valid, and llama is offered',
    ]);
    expect(await check(both)).toContain('ai: openai: the provider answers');
    expect(await check({}, { ai: { model: 'openai/llama' } })).toContain(
      'ai.model-unknown: No key is set for the provider of openai/llama',
    );
  });

  it('looks at a provider that the API has set in place of that of the environment', async () => {
    const openai = await new OpenAiFake().start();
    openai.models = ['llama'];
    const env = { API_KEY_PEPPER: 'the pepper of this deployment', OPENAI_API_KEY: 'sk-of-the-environment' };
    const secrets = await configuredSecrets(loadConfiguration(env));
    const key = new SecretBox(secrets!).seal(openai.apiKey, placeOfKey('openai', openai.baseUrl));
    const row = { name: 'openai', api_key: key, base_url: openai.baseUrl };
    expect(await check(env, { ai: { model: 'openai/llama' } }, [row])).toContain(
      'ai: openai: the key is valid, and llama is offered',
    );
  });

  it('accepts a provider without a model list', async () => {
    provider.models = undefined;
    expect(await check()).toEqual(['ai: the provider answers, but has no list of models']);
  });
});
