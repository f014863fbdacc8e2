import { makeProvider } from '../../../src/ai/provider/anthropic/anthropic.provider';
import { AnthropicFake } from '../../fakes/anthropic.fake';
import { textOf, type ContentBlock, type MessagesRequest, type Usage } from '../../fakes/anthropic-types';
import { describeProvider } from './provider.conformance';

const fake = new AnthropicFake();

const blocksOf = (content: string | ContentBlock[]) => (typeof content === 'string' ? [] : content);
const ofType = (content: string | ContentBlock[], type: string) =>
  blocksOf(content).filter((block) => block.type === type);

describeProvider('anthropic', {
  fake,
  model: 'claude-sonnet-4-6',
  make: makeProvider,
  readsDocuments: true,
  connection: () => ({ apiKey: fake.apiKey, baseUrl: fake.url }),
  empty: { id: 'msg_1', type: 'message', usage: { input_tokens: 5, output_tokens: 3 } },
  noTemperature: () => {
    const error = { type: 'invalid_request_error', message: '`temperature` is deprecated for this model.' };
    fake.fail({ status: 400, body: { type: 'error', error } });
  },
  reply: ({ text, tools = [], isRefusal, usage }) =>
    fake.replyWith(() => ({
      text,
      ...(tools[0] && { tool: tools[0] }),
      ...(isRefusal && { stopReason: 'refusal' as const }),
      ...(usage !== undefined && {
        usage: { input_tokens: usage?.input, output_tokens: usage?.output } as Partial<Usage>,
      }),
    })),
  asked: () => {
    const { body } = fake.requests.at(-1) as { body: MessagesRequest };
    return {
      system: typeof body.system === 'string' ? body.system : textOf(body.system ?? []),
      messages: body.messages.map(({ role, content }) => ({
        role,
        text: textOf(content),
        images: ofType(content, 'image').length,
        documents: ofType(content, 'document').length,
        results: ofType(content, 'tool_result').map((block) => String(block['content'])),
        calls: ofType(content, 'tool_use').map((block) => String(block['id'])),
      })),
      tools: (body.tools ?? []).map(({ name }) => name),
      temperature: body.temperature,
    };
  },
});
