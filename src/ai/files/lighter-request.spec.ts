import type { AiMessage, AiRequest } from '../provider/ai-provider.port';
import { lighterRequest } from './lighter-request';

const requestOf = (messages: AiMessage[]): AiRequest => ({
  model: 'claude-sonnet-5-5',
  system: '',
  messages,
  maxTokens: 100,
  temperature: 1,
});
const shortened = (messages: AiMessage[]) => lighterRequest(requestOf(messages), { of: 'length' })?.messages;

describe(lighterRequest.name, () => {
  const earlier: AiMessage[] = [
    { role: 'user', content: 'a'.repeat(100) },
    { role: 'assistant', content: 'b'.repeat(100) },
  ];
  const question: AiMessage = { role: 'user', content: 'Where is my order?' };
  const roundOf = (id: string, length: number): AiMessage[] => [
    { role: 'assistant', content: '', toolCalls: [{ id, name: 'orders', arguments: {} }] },
    { role: 'user', content: '', toolResults: [{ callId: id, content: 'x'.repeat(length) }] },
  ];

  it('drops the oldest half of a context that is too long, but not the last message', () => {
    expect(shortened([...earlier, question])).toEqual([question]);
    expect(shortened([earlier[0]!, { role: 'user', content: 'c'.repeat(1_000) }])).toHaveLength(1);
    expect(shortened([question])).toBeUndefined();
  });

  it('keeps the question of a context that is too long, and the calls of tools with their results', () => {
    const rounds = [...roundOf('call_1', 10), ...roundOf('call_2', 10)];
    expect(shortened([...earlier, question, ...rounds])).toEqual([question, ...rounds]);
    expect(shortened([question, ...rounds])).toBeUndefined();
  });

  it('counts what the calls of tools and their results take of a context that is too long', () => {
    const rounds = roundOf('call_1', 1_000);
    expect(shortened([...earlier, earlier[0]!, question, ...rounds])).toEqual([question, ...rounds]);
  });
});
