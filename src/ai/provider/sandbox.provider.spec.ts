import type { AiRequest, AiStreamEvent } from './ai-provider.port';
import { SandboxProvider, sandboxTokens } from './sandbox.provider';

const request: AiRequest = {
  model: 'claude-any',
  system: 'Be brief.',
  messages: [
    { role: 'user', content: 'Hello' },
    { role: 'assistant', content: 'Hi!' },
    { role: 'user', content: 'How are\nyou?' },
  ],
  maxTokens: 1000,
  temperature: 0.7,
};

describe(SandboxProvider.name, () => {
  const sut = new SandboxProvider();

  it('names the sandbox, the question and the length of the context', async () => {
    const { text, model, stopReason } = await sut.complete(request);
    expect(text).toBe(
      'Sandbox reply to "How are you?": no AI model was asked, this is the sandbox. It saw 2 context messages.',
    );
    expect({ model, stopReason }).toEqual({ model: 'claude-any', stopReason: 'end_turn' });
  });

  it('answers the same request with the same answer', async () => {
    expect(await sut.complete(request)).toEqual(await sut.complete(request));
  });

  it('counts a token for every four bytes, rounded up', async () => {
    expect([sandboxTokens(''), sandboxTokens('abcd'), sandboxTokens('abcde'), sandboxTokens('😀é')]).toEqual([
      0, 1, 2, 2,
    ]);
    const { tokens, text } = await sut.complete(request);
    // 9 + 5 + 3 + 12 bytes, each rounded up
    expect(tokens).toEqual({ input: 3 + 2 + 1 + 3, output: sandboxTokens(text), cacheRead: 0, cacheWrite: 0 });
  });

  it('obeys max_tokens without splitting a character', async () => {
    const asked = { ...request, messages: [{ role: 'user' as const, content: '😀😀😀' }] };
    const { text, tokens, stopReason } = await sut.complete({ ...asked, maxTokens: 6 });
    expect(text).toBe('Sandbox reply to "😀');
    expect({ output: tokens.output, stopReason }).toEqual({ output: 6, stopReason: 'max_tokens' });
  });

  it('streams the same answer in pieces', async () => {
    const events: AiStreamEvent[] = [];
    for await (const event of sut.stream(request)) events.push(event);
    const deltas = events.flatMap((event) => (event.type === 'delta' ? [event.text] : []));
    const whole = await sut.complete(request);
    expect(deltas.length).toBeGreaterThan(5);
    expect(deltas.join('')).toBe(whole.text);
    expect(events.at(-1)).toEqual({ type: 'final', completion: whole });
  });

  it('costs nothing', () => {
    expect(sut.billable).toBe(false);
  });
});
