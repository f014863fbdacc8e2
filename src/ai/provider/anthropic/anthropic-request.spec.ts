import type { AiMessage, AiRequest } from '../ai-provider.port';
import { RefusedParameters } from '../refused-parameters';
import { refusedIn, toMessageParams, type OptionalParameter } from './anthropic-request';

const user = (content: string): AiMessage => ({ role: 'user', content });
const assistant = (content: string): AiMessage => ({ role: 'assistant', content });
const request = (part: Partial<AiRequest> = {}): AiRequest => ({
  model: 'claude-sonnet-4-6',
  system: 'Be brief.',
  messages: [user('Hello')],
  maxTokens: 100,
  temperature: 0.5,
  ...part,
});
const learner = () => {
  const known = new RefusedParameters<OptionalParameter>();
  return {
    of: (model: string) => known.of(model),
    learn: (params: ReturnType<typeof toMessageParams>, error: { status: number; message: string }) =>
      known.learn(params.model, refusedIn(params, error)),
  };
};
const messagesOf = (...messages: AiMessage[]) => toMessageParams(request({ messages }), new Set()).messages;

describe(toMessageParams.name, () => {
  it('merges consecutive messages of one role', () => {
    expect(messagesOf(user('a'), user('b'), assistant('c'), assistant('d'), user('e'))).toEqual([
      user('a\n\nb'),
      assistant('c\n\nd'),
      user('e'),
    ]);
  });

  it('drops empty messages and merges their neighbours of one role', () => {
    expect(messagesOf(user('\n'), user('a'), assistant('\n'), user('b'))).toEqual([user('a\n\nb')]);
  });

  it('begins with a user turn if the business wrote first', () => {
    const messages = [user(' '), assistant('Tuesday at three?'), assistant('Well?'), user('Yes please')];
    expect(toMessageParams(request({ messages, growing: true }), new Set()).messages).toEqual([
      user('(You wrote:)'),
      assistant('Tuesday at three?\n\nWell?'),
      user('Yes please'),
    ]);
    // A window that slides has earlier messages before it.
    expect(messagesOf(...messages)).toEqual([user('Yes please')]);
  });

  it('does not change its input', () => {
    const messages = [user('a'), user('b')];
    messagesOf(...messages);
    expect(messages).toEqual([user('a'), user('b')]);
  });

  it('replaces lone surrogates, which the API refuses', () => {
    expect(messagesOf(user('a\ud83d'))).toEqual([user('a\ufffd')]);
  });

  it('rejects a request without a user message', () => {
    expect(() => messagesOf(assistant('hello'), user(''))).toThrow(
      expect.objectContaining({ type: 'invalid_request', retryable: false }),
    );
  });

  it('marks the instructions for the cache, and sends no empty instructions', () => {
    expect(toMessageParams(request(), new Set()).system).toEqual([
      { type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } },
    ]);
    expect(toMessageParams(request({ system: ' ' }), new Set())).not.toHaveProperty('system');
  });

  it('asks the API to cache a conversation that grows', () => {
    const growing = request({ growing: true });
    expect(toMessageParams(growing, new Set()).cache_control).toEqual({ type: 'ephemeral' });
    expect(toMessageParams(request(), new Set())).not.toHaveProperty('cache_control');
  });

  it.each([
    ['cache_control: Extra inputs are not permitted', request({ growing: true })],
    ['system.0.cache_control: Extra inputs are not permitted', request()],
  ])('does not use the cache after a server answers “%s”', (message, asked) => {
    const sut = learner();
    expect(sut.learn(toMessageParams(asked, new Set()), { status: 400, message })).toBe(true);
    const params = toMessageParams(asked, sut.of(asked.model));
    expect(params).not.toHaveProperty('cache_control');
    expect(params.system).toEqual([{ type: 'text', text: 'Be brief.' }]);
    // The server cannot refuse a parameter that was not sent.
    expect(sut.learn(params, { status: 400, message })).toBe(false);
  });

  it('sends a temperature unless it is the default or the model rejects it', () => {
    expect(toMessageParams(request(), new Set()).temperature).toBe(0.5);
    expect(toMessageParams(request({ temperature: 0 }), new Set()).temperature).toBe(0);
    expect(toMessageParams(request({ temperature: 1 }), new Set())).not.toHaveProperty('temperature');
    expect(toMessageParams(request(), new Set(['temperature' as const]))).not.toHaveProperty('temperature');
  });

  it.each([
    ['claude-sonnet-5-5', { type: 'between_tools' }],
    ['claude-sonnet-5', { type: 'disabled' }],
    ['claude-opus-5', { type: 'disabled' }],
    ['claude-haiku-5-5', { type: 'disabled' }],
    ['claude-opus-5-5', undefined],
    ['claude-fable-5-1', undefined],
    ['claude-haiku-4-5-20251001', undefined],
  ])('turns thinking off for %s if the model allows it', (model, thinking) => {
    expect(toMessageParams(request({ model }), new Set()).thinking).toEqual(thinking);
  });
});

describe(RefusedParameters.name, () => {
  const params = toMessageParams(request(), new Set());
  const deprecated = { status: 400, message: '`temperature` is deprecated for this model.' };

  it('learns which parameter a model rejects, for this model only', () => {
    const sut = learner();
    expect(sut.learn(params, deprecated)).toBe(true);
    expect([...sut.of('claude-sonnet-4-6')]).toEqual(['temperature']);
    expect([...sut.of('claude-opus-4-6')]).toEqual([]);
  });

  it.each([
    'Unknown parameter: temperature',
    'temperature: unexpected field',
    'Unrecognized request argument supplied: temperature',
    "extra_forbidden: ('body', 'temperature')",
  ])('learns from a compatible server that answers “%s”', (message) => {
    const sut = learner();
    expect(sut.learn(params, { status: 400, message })).toBe(true);
    expect([...sut.of('claude-sonnet-4-6')]).toEqual(['temperature']);
  });

  it('learns nothing from other errors, nor about a parameter that was not sent', () => {
    const sut = learner();
    expect(sut.learn(params, { status: 400, message: 'temperature: range: 0..1' })).toBe(false);
    expect(sut.learn(params, { ...deprecated, status: 500 })).toBe(false);
    expect(sut.learn(toMessageParams(request({ temperature: 1 }), new Set()), deprecated)).toBe(false);
  });
});
