import { abortError, type AiErrorType, AiProviderError } from './ai-provider.error';
import type { AiCompletion, AiProvider, AiRequest, AiStreamEvent } from './ai-provider.port';
import { type AttemptObservation, RetryingProvider, type RetryTime } from './retrying.provider';
import type { RetryPolicy } from './retry-policy';

const request: AiRequest = {
  model: 'first',
  system: '',
  messages: [{ role: 'user', content: 'Hello' }],
  maxTokens: 100,
  temperature: 1,
};

const completion = (model: string): AiCompletion => ({
  text: 'Hi!',
  model,
  tokens: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 },
  latencyMs: 1,
  stopReason: 'end_turn',
});

const failure = (type: AiErrorType, retryable = true, retryAfterSeconds?: number, status?: number) =>
  new AiProviderError(type, type, { retryable, retryAfterSeconds, status });

/** Time that passes only by sleeping and by answering. */
class VirtualTime implements RetryTime {
  elapsed = 0;
  readonly slept: number[] = [];
  now = () => this.elapsed;
  random = () => 0.5;
  async sleep(ms: number, signal?: AbortSignal) {
    signal?.throwIfAborted();
    this.slept.push(ms);
    this.elapsed += ms;
  }
}

type Outcome = AiProviderError | 'ok' | 'hang' | ((signal: AbortSignal) => AsyncIterable<AiStreamEvent>);

class ScriptedProvider implements AiProvider {
  readonly name = 'anthropic';
  readonly billable = true;
  readonly asked: string[] = [];

  constructor(private readonly script: (model: string, call: number) => Outcome) {}

  async complete(asked: AiRequest, signal?: AbortSignal): Promise<AiCompletion> {
    for await (const event of this.stream(asked, signal)) if (event.type === 'final') return event.completion;
    throw new Error('the script has no final');
  }

  async *stream({ model }: AiRequest, signal?: AbortSignal): AsyncGenerator<AiStreamEvent, void, undefined> {
    this.asked.push(model);
    const outcome = this.script(model, this.asked.length);
    if (outcome instanceof AiProviderError) throw outcome;
    if (outcome === 'hang') {
      await new Promise((resolve) => signal!.addEventListener('abort', resolve));
      throw abortError(signal!);
    }
    if (typeof outcome === 'function') yield* outcome(signal!);
    yield { type: 'delta', text: 'Hi!' };
    yield { type: 'final', completion: completion(model) };
  }
}

function build(script: (model: string, call: number) => Outcome, policy?: Partial<RetryPolicy>) {
  const time = new VirtualTime();
  const provider = new ScriptedProvider(script);
  const observed: AttemptObservation[] = [];
  const sut = new RetryingProvider(provider, { policy, time, onAttempt: (attempt) => observed.push(attempt) });
  return { sut, provider, time, observed };
}

async function collect(stream: AsyncIterable<AiStreamEvent>) {
  const deltas: string[] = [];
  let final: AiCompletion | undefined;
  for await (const event of stream) {
    if (event.type === 'delta') deltas.push(event.text);
    else final = event.completion;
  }
  return { deltas, final };
}

describe(RetryingProvider.name, () => {
  it('retries with growing waits until there is an answer, and reports how long the caller waited', async () => {
    const { sut, time, observed } = build((_, call) => (call < 4 ? failure('overloaded') : 'ok'));
    const answer = await sut.complete(request);
    expect(time.slept).toEqual([300, 600, 1200]);
    expect(answer).toMatchObject({ text: 'Hi!', latencyMs: 2100 });
    expect(observed.map(({ attempt, error, next }) => [attempt, error?.type, next.step])).toEqual([
      [1, 'overloaded', 'retry'],
      [2, 'overloaded', 'retry'],
      [3, 'overloaded', 'retry'],
      [4, undefined, 'answered'],
    ]);
    expect(observed.every((attempt) => attempt.request === request)).toBe(true);
  });

  it('gives up after eight attempts with the last error', async () => {
    const { sut, provider, observed } = build(() => failure('unavailable'));
    await expect(sut.complete(request)).rejects.toMatchObject({ type: 'unavailable', retryable: true });
    expect(provider.asked).toHaveLength(8);
    expect(observed.at(-1)?.next).toEqual({ step: 'give_up' });
  });

  it('gives each fallback model its eight attempts, in turn, within 85 seconds', async () => {
    const { sut, provider, time } = build(() => failure('overloaded'));
    const asked = { ...request, fallbackModels: ['second', 'first', 'third'] };
    await expect(sut.complete(asked)).rejects.toThrow(AiProviderError);
    expect(provider.asked).toEqual([...Array(8).fill('first'), ...Array(8).fill('second'), ...Array(8).fill('third')]);
    expect(time.elapsed).toBeLessThan(85_000);
  });

  it('asks each model only once in a repeated call', async () => {
    const { sut, provider, time } = build(() => failure('overloaded'));
    const asked = { ...request, fallbackModels: ['second'], isRepeated: true };
    await expect(sut.complete(asked)).rejects.toMatchObject({ type: 'overloaded', retryable: true });
    expect(provider.asked).toEqual(['first', 'second']);
    expect(time.slept).toEqual([]);
  });

  it('answers with the first fallback model that succeeds', async () => {
    const { sut } = build((model) => (model === 'second' ? 'ok' : failure('overloaded')));
    expect(await sut.complete({ ...request, fallbackModels: ['second'] })).toMatchObject({ model: 'second' });
  });

  it.each([
    ['invalid_request', 400],
    ['spend_limit', 400],
    ['authentication', 401],
    ['spend_limit', 402],
    ['permission_denied', 403],
    ['model_not_found', 404],
    ['request_too_large', 413],
    ['empty_response', undefined],
  ] as const)('asks no model again after %s (%s)', async (type, status) => {
    const { sut, provider } = build(() => failure(type, false, undefined, status));
    await expect(sut.complete({ ...request, fallbackModels: ['second'] })).rejects.toMatchObject({ type, status });
    expect(provider.asked).toEqual(['first']);
  });

  it.each([
    ['unavailable', 500],
    ['overloaded', 529],
    ['rate_limited', 429],
    ['spend_limit', 429],
    ['refusal', undefined],
  ] as const)('asks the fallback model at once after a final %s (%s)', async (type, status) => {
    const { sut, provider, time } = build((model) =>
      model === 'first' ? failure(type, false, undefined, status) : 'ok',
    );
    expect(await sut.complete({ ...request, fallbackModels: ['second'] })).toMatchObject({ model: 'second' });
    expect(provider.asked).toEqual(['first', 'second']);
    expect(time.slept).toEqual([]);
  });

  it.each([
    ['refusal', true],
    ['overloaded', undefined],
  ] as const)('says whether a model declined to answer: %s', async (type, isRefused) => {
    const { sut } = build((model) => (model === 'first' ? failure(type, false) : 'ok'));
    expect((await sut.complete({ ...request, fallbackModels: ['second'] })).isRefused).toBe(isRefused);
  });

  it.each([
    ['invalid_request', 400],
    ['permission_denied', 403],
    ['model_not_found', 404],
    ['request_too_large', 413],
  ] as const)('skips a fallback model that answers %s (%s)', async (type, status) => {
    const script = (model: string) => {
      if (model === 'third') return 'ok';
      return model === 'first' ? failure('rate_limited', true, 600, 429) : failure(type, false, undefined, status);
    };
    const { sut, provider, observed } = build(script);
    expect(await sut.complete({ ...request, fallbackModels: ['second', 'third'] })).toMatchObject({ model: 'third' });
    expect(provider.asked).toEqual(['first', 'second', 'third']);
    expect(observed.map(({ next }) => next.step)).toEqual(['fallback', 'fallback', 'answered']);
  });

  it('fails with the error of the requested model if no fallback answers', async () => {
    const script = (model: string) =>
      model === 'first' ? failure('rate_limited', true, 600, 429) : failure('model_not_found', false, undefined, 404);
    const { sut, provider } = build(script);
    const asked = { ...request, fallbackModels: ['second', 'third'] };
    await expect(sut.complete(asked)).rejects.toMatchObject({ type: 'rate_limited', status: 429 });
    expect(provider.asked).toEqual(['first', 'second', 'third']);
  });

  it('ends with a fallback model’s answer without text', async () => {
    const script = (model: string) =>
      model === 'first' ? failure('overloaded', true, 600, 529) : failure('empty_response', false);
    const { sut, provider } = build(script);
    const asked = { ...request, fallbackModels: ['second', 'third'] };
    await expect(sut.complete(asked)).rejects.toMatchObject({ type: 'empty_response' });
    expect(provider.asked).toEqual(['first', 'second']);
  });

  it.each([
    ['refusal', 'every model refuses', ['refusal', 'refusal', 'refusal']],
    ['refusal', 'the fallback models do not exist', ['refusal', 'model_not_found', 'model_not_found']],
    ['overloaded', 'a fallback model has a temporary failure', ['refusal', 'overloaded', 'refusal']],
    ['overloaded', 'the requested model has a temporary failure', ['overloaded', 'refusal', 'refusal']],
  ] as const)('fails with %s if %s', async (type, _, types) => {
    const models = ['first', 'second', 'third'];
    const script = (model: string) => {
      const failed = types[models.indexOf(model)]!;
      return failed === 'overloaded' ? failure(failed, true, 600, 529) : failure(failed, false);
    };
    const { sut, provider } = build(script);
    await expect(sut.complete({ ...request, fallbackModels: models.slice(1) })).rejects.toMatchObject({ type });
    expect(provider.asked).toEqual(models);
  });

  it('waits at least as long as retry-after says', async () => {
    const { sut, time } = build((_, call) => (call === 1 ? failure('rate_limited', true, 7) : 'ok'));
    await sut.complete(request);
    expect(time.slept).toEqual([7200]);
  });

  it.each([0, 0.2])('waits a second at least when retry-after says %d', async (seconds) => {
    const { sut, time } = build((_, call) => (call === 1 ? failure('rate_limited', true, seconds) : 'ok'));
    await sut.complete(request);
    expect(time.slept).toEqual([1_200]);
  });

  it('does not wait for a retry-after beyond its time budget: it falls back at once, or fails', async () => {
    const { sut, time, provider } = build(() => failure('rate_limited', true, 600));
    const asked = { ...request, fallbackModels: ['second'] };
    await expect(sut.complete(asked)).rejects.toMatchObject({ type: 'rate_limited', retryAfterSeconds: 600 });
    expect(provider.asked).toEqual(['first', 'second']);
    expect(time.slept).toEqual([]);
  });

  it('stops an attempt that hangs, and leaves the fallback its share of the time', async () => {
    const provider = new ScriptedProvider((model) => (model === 'first' ? 'hang' : 'ok'));
    const sut = new RetryingProvider(provider, { policy: { callBudgetMs: 200, minAttemptMs: 10 } });
    expect(await sut.complete({ ...request, fallbackModels: ['second'] })).toMatchObject({ model: 'second' });
    expect(provider.asked).toEqual(['first', 'second']);
    await expect(sut.complete(request)).rejects.toMatchObject({ type: 'timeout' });
  });

  it('ends when the caller aborts, in an attempt and in a wait', async () => {
    const early = build(() => 'ok');
    await expect(early.sut.complete(request, AbortSignal.abort())).rejects.toMatchObject({ type: 'aborted' });
    expect(early.provider.asked).toEqual([]);

    const abort = new AbortController();
    const provider = new ScriptedProvider(() => failure('overloaded', true, 30));
    const sut = new RetryingProvider(provider, { onAttempt: () => setImmediate(() => abort.abort()) });
    await expect(sut.complete(request, abort.signal)).rejects.toMatchObject({ type: 'aborted', retryable: false });
    expect(provider.asked).toHaveLength(1);
  });

  it('rethrows an error that is not the provider’s', async () => {
    const { sut, provider } = build(() => {
      throw new TypeError('bug');
    });
    await expect(sut.complete(request)).rejects.toThrow('bug');
    expect(provider.asked).toHaveLength(1);
  });

  it('restarts a stream until it has passed a delta on', async () => {
    const { sut, provider } = build((_, call) => (call < 3 ? failure('overloaded') : 'ok'));
    expect(await collect(sut.stream(request))).toMatchObject({ deltas: ['Hi!'], final: { text: 'Hi!' } });
    expect(provider.asked).toHaveLength(3);
  });

  it('never passes on the beginning of a stream twice', async () => {
    const { sut, provider, observed } = build(
      () =>
        async function* () {
          yield { type: 'delta', text: 'Hel' };
          throw failure('unavailable');
        },
    );
    const seen: AiStreamEvent[] = [];
    const reading = async () => {
      for await (const event of sut.stream({ ...request, fallbackModels: ['second'] })) seen.push(event);
    };
    await expect(reading()).rejects.toMatchObject({ type: 'unavailable' });
    expect(seen).toEqual([{ type: 'delta', text: 'Hel' }]);
    expect(provider.asked).toHaveLength(1);
    expect(observed.at(-1)?.next).toEqual({ step: 'give_up' });
  });

  it('stops the request when the reader of a stream leaves', async () => {
    let ended: AbortSignal | undefined;
    const { sut } = build(
      () =>
        async function* (signal) {
          ended = signal;
          yield { type: 'delta', text: 'Hel' };
        },
    );
    for await (const event of sut.stream(request)) if (event.type === 'delta') break;
    expect(ended?.aborted).toBe(true);
  });
});
