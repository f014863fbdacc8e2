import { makeProvider } from '../../../src/ai/provider/openai/openai.provider';
import type { ProviderConnection } from '../../../src/ai/provider/ai-provider.port';
import { chatError, DIALECTS, type Dialect } from '../../fakes/openai-dialects';
import { OpenAiFake, type OpenAiFakeOptions } from '../../fakes/openai.fake';
import { chatTextOf, type ChatMessage } from '../../fakes/openai-types';
import type { ProviderHarness } from './provider-harness';
import { describeProvider } from './provider.conformance';

const partsOf = (content: ChatMessage['content']) => (Array.isArray(content) ? content : []);

/** Results of tools are messages of their own, which belong to the user's turn. */
function turnOf({ role, content, tool_calls = [] }: ChatMessage) {
  return {
    role: role === 'tool' ? 'user' : role,
    text: role === 'tool' ? '' : chatTextOf(content),
    images: partsOf(content).filter(({ image_url }) => image_url?.url.startsWith('data:image/png;base64,')).length,
    documents: 0,
    results: role === 'tool' ? [chatTextOf(content)] : [],
    calls: tool_calls.map(({ id }) => id),
  };
}

function harnessOf(options: OpenAiFakeOptions): ProviderHarness {
  const fake = new OpenAiFake(options);
  const apiKey = options.apiKey === null ? undefined : fake.apiKey;
  return {
    fake,
    model: 'gpt-4o',
    make: makeProvider,
    readsDocuments: false,
    ...(options.dialect === 'mistral' && {
      learn: async (provider, request) => {
        const refused = { type: 'invalid_request', status: 422, retryable: true };
        await expect(provider.stream(request)[Symbol.asyncIterator]().next()).rejects.toMatchObject(refused);
      },
    }),
    connection: (): ProviderConnection => ({ apiKey, baseUrl: fake.baseUrl }),
    empty: { id: 'chatcmpl-1', object: 'chat.completion', model: 'gpt-4o', choices: [] },
    noTemperature: () => {
      const message = "Unsupported value: 'temperature' does not support 0.5 with this model.";
      fake.fail({
        status: 400,
        body: chatError(options.dialect ?? 'openai', 400, { message, code: 'unsupported_value' }).body,
      });
    },
    reply: ({ text, tools, isRefusal, usage }) =>
      fake.replyWith(() => ({
        text,
        ...(tools && { tools }),
        ...(isRefusal && { refusal: 'I cannot help with that.' }),
        ...(usage !== undefined && {
          usage: usage && { prompt_tokens: usage.input, completion_tokens: usage.output },
        }),
      })),
    asked: () => {
      const { body } = fake.requests.at(-1)!;
      const [first] = body.messages;
      return {
        system: first?.role === 'system' ? chatTextOf(first.content) : '',
        messages: body.messages.filter(({ role }) => role !== 'system').map(turnOf),
        tools: (body.tools ?? []).map((tool) => tool.function.name),
        temperature: body.temperature,
      };
    },
  };
}

const WITHOUT_KEYS: ReadonlySet<Dialect> = new Set(['vllm', 'ollama']);

for (const dialect of DIALECTS)
  describeProvider(
    `openai with ${dialect}`,
    harnessOf({ dialect, apiKey: WITHOUT_KEYS.has(dialect) ? null : undefined }),
  );
describeProvider('openai with a base URL without /v1', harnessOf({ root: '' }));
