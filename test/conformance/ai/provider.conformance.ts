import type { AiFile, AiRequest, AiStreamEvent, ModelProvider } from '../../../src/ai/provider/ai-provider.port';
import { png } from '../../support/png';
import { TOOL, type ProviderHarness, type Scripted } from './provider-harness';

const PAGE = '<html><body>proxy-7.internal: bad gateway</body></html>';
const HTML = { 'content-type': 'text/html' };

function fileOf(type: AiFile['type'], bytes: Buffer): AiFile {
  const data = [Buffer.from(bytes.toString('base64'), 'latin1')];
  const stored = {
    attachmentId: `00000000-0000-7000-8000-0000000000${type === 'image' ? '01' : '02'}`,
    sha256: '',
    tokens: 1,
  };
  const mediaType = type === 'image' ? 'image/png' : 'application/pdf';
  return { type, mediaType, sizeBytes: bytes.length, data, name: `the ${type}`, ...stored };
}

/** The behaviour of every AI provider, whichever server it speaks to. Each call is made whole and as a stream. */
export function describeProvider(title: string, harness: ProviderHarness): void {
  describe(`the AI provider ${title}`, () => {
    const { fake, model } = harness;
    let sut: ModelProvider;
    const request = (part: Partial<AiRequest> = {}): AiRequest => ({
      model,
      system: 'Be brief.',
      messages: [{ role: 'user', content: 'Who am I?' }],
      maxTokens: 100,
      temperature: 1,
      ...part,
    });

    beforeAll(async () => {
      await fake.start();
      harness.reply({ text: 'You are Ada.' });
    });
    beforeEach(async () => {
      fake.models = [model, 'another-model'];
      sut = harness.make(harness.connection());
      await harness.learn?.(sut, request());
    });
    afterAll(() => fake.stop());
    afterEach(() => {
      fake.clearFaults();
      fake.release();
      fake.streamPauseMs = 0;
      harness.reply({ text: 'You are Ada.' });
    });

    const streamed = async (provider: ModelProvider, asked: AiRequest, signal?: AbortSignal) => {
      const events: AiStreamEvent[] = [];
      for await (const event of provider.stream(asked, signal)) events.push(event);
      const last = events.at(-1)!;
      if (last.type !== 'final') throw new Error('a stream ends with its final event');
      const text = events.map((event) => (event.type === 'delta' ? event.text : '')).join('');
      expect(text).toBe(last.completion.text);
      return last.completion;
    };
    const ways = [
      ['whole', (provider: ModelProvider, asked: AiRequest, signal?: AbortSignal) => provider.complete(asked, signal)],
      ['streamed', streamed],
    ] as const;

    describe.each(ways)('%s', (_way, ask) => {
      it('answers with text, the model, tokens and the reason of its end', async () => {
        const answer = await ask(sut, request());
        expect(answer).toMatchObject({ text: 'You are Ada.', model, stopReason: 'end_turn' });
        expect(answer.tokens.input).toBeGreaterThan(0);
        expect(answer.tokens.output).toBeGreaterThan(0);
        expect(answer.tokens.isIncomplete).toBeUndefined();
        expect(Number.isInteger(answer.latencyMs)).toBe(true);
        expect(harness.asked()).toMatchObject({ system: 'Be brief.', messages: [{ role: 'user', text: 'Who am I?' }] });
      });

      it('keeps every character, and marks an answer that was cut', async () => {
        const text = 'Größe 🍞, “quoted”, 日本 '.repeat(9).trim();
        harness.reply({ text });
        expect(await ask(sut, request())).toMatchObject({ text });
        harness.reply({ text: 'word '.repeat(400) });
        expect(await ask(sut, request({ maxTokens: 20 }))).toMatchObject({ stopReason: 'max_tokens' });
      });

      it('sends a conversation whose roles alternate, without empty messages and broken characters', async () => {
        const messages = [
          { role: 'user', content: 'a' },
          { role: 'user', content: 'b\ud83d' },
          { role: 'assistant', content: ' ' },
          { role: 'assistant', content: 'c' },
          { role: 'user', content: 'd' },
        ] as const;
        await ask(sut, request({ messages }));
        expect(harness.asked().messages.map(({ role, text }) => [role, text])).toEqual([
          ['user', 'a\n\nb\ufffd'],
          ['assistant', 'c'],
          ['user', 'd'],
        ]);
      });

      it('leaves a temperature out that the model refuses, and reports it', async () => {
        harness.noTemperature();
        const cold = request({ temperature: 0.5 });
        await expect(ask(sut, cold)).rejects.toMatchObject({ type: 'invalid_request', retryable: true });
        fake.clearFaults();
        expect(await ask(sut, cold)).toMatchObject({ text: 'You are Ada.', ignored: ['temperature'] });
        expect(harness.asked().temperature).toBeUndefined();
        expect(sut.ignored).toEqual([{ model, parameter: 'temperature' }]);
      });

      it('sends images, and documents if the provider reads them: others are named', async () => {
        const files = [fileOf('image', png(8, 8)), fileOf('document', Buffer.from('%PDF-1.4\n/Type /Page'))];
        await ask(sut, request({ messages: [{ role: 'user', content: 'Look.', files }] }));
        const [message] = harness.asked().messages;
        expect(message).toMatchObject({ images: 1, documents: harness.readsDocuments ? 1 : 0 });
        expect(message!.text.includes('[a file that you cannot read: the document]')).toBe(!harness.readsDocuments);
        expect(message!.text).toMatch(/^Look\./);
      });

      it('says which image the server refuses', async () => {
        const image = fileOf('image', png(8, 8));
        fake.fail({
          status: 400,
          body: errorWith('invalid_request_error', 'Could not process image: it is not valid'),
        });
        const asked = request({ messages: [{ role: 'user', content: 'Look.', files: [image] }] });
        await expect(ask(sut, asked)).rejects.toMatchObject({
          type: 'invalid_request',
          fault: { of: 'files', files: [image] },
        });
      });

      it('returns the calls of tools, and gives their results to the model', async () => {
        harness.reply({ text: '', tools: [{ name: TOOL.name, input: { number: 17 } }] });
        const asked = request({ tools: [TOOL] });
        const { toolCalls = [], stopReason } = await ask(sut, asked);
        expect(stopReason).toBe('tool_use');
        expect(toolCalls).toEqual([{ id: expect.stringMatching(/.+/), name: TOOL.name, arguments: { number: 17 } }]);
        expect(harness.asked().tools).toEqual([TOOL.name]);

        harness.reply({ text: 'It is on its way.' });
        const messages = [
          ...asked.messages,
          { role: 'assistant', content: '', toolCalls },
          { role: 'user', content: '', toolResults: [{ callId: toolCalls[0]!.id, content: '{"status":"sent"}' }] },
        ] as const;
        expect(await ask(sut, { ...asked, messages })).toMatchObject({ text: 'It is on its way.' });
        const sent = harness.asked().messages;
        expect(sent.flatMap(({ calls }) => calls)).toEqual([toolCalls[0]!.id]);
        expect(sent.flatMap(({ results }) => results)).toEqual(['{"status":"sent"}']);
      });

      it.each<[string, Scripted, object]>([
        ['of a tool that was not offered', { text: 'Hm.', tools: [{ name: 'rm', input: {} }] }, { text: 'Hm.' }],
        [
          'with arguments of another form',
          { text: '', tools: [{ name: TOOL.name, input: ['?'] }] },
          { toolCalls: [{ arguments: ['?'] }] },
        ],
      ])('survives a call %s', async (_, scripted, expected) => {
        harness.reply(scripted);
        const answer = await ask(sut, request({ tools: [TOOL] }));
        expect(answer).toMatchObject(expected);
        if (scripted.text !== '') expect(answer.toolCalls).toBeUndefined();
      });

      it('fails with refusal if the model declines, and reports its tokens', async () => {
        harness.reply({ text: '', isRefusal: true });
        const failure = { type: 'refusal', retryable: false, tokens: { input: expect.any(Number) } };
        await expect(ask(sut, request())).rejects.toMatchObject(failure);
      });

      it('fails with empty_response without text', async () => {
        harness.reply({ text: '' });
        await expect(ask(sut, request())).rejects.toMatchObject({ type: 'empty_response', retryable: false });
      });

      it.each([
        [429, 'rate_limited', true],
        [500, 'unavailable', true],
        [503, 'unavailable', true],
        [400, 'invalid_request', false],
        [403, 'permission_denied', false],
        [404, 'model_not_found', false],
        [413, 'request_too_large', false],
      ])('fails after a %i with %s', async (status, type, retryable) => {
        const before = fake.requests.length;
        fake.fail({ status });
        await expect(ask(sut, request())).rejects.toMatchObject({ type, retryable, status });
        expect(fake.requests).toHaveLength(before + 1);
      });

      it('reads how long a 429 asks to wait', async () => {
        fake.fail({ status: 429, retryAfter: 7 });
        await expect(ask(sut, request())).rejects.toMatchObject({ type: 'rate_limited', retryAfterSeconds: 7 });
      });

      it.each([
        ['the page of a proxy with a 502', { status: 502, body: PAGE, headers: HTML }],
        ['the page of a proxy with a 200', { status: 200, body: PAGE, headers: HTML }],
        ['broken JSON', { status: 200, body: '{"content": [', headers: { 'content-type': 'application/json' } }],
        ['a 200 with an error in it', { status: 200, body: errorWith('server_error', 'The engine failed') }],
        ['an empty answer', { status: 200, body: harness.empty }],
        ['null', { status: 200, body: 'null', headers: { 'content-type': 'application/json' } }],
        ['a closed connection', { kind: 'drop_before' as const }],
        ['a reset connection', { kind: 'reset' as const }],
      ])('fails with a retryable error after %s, and shows none of it', async (_, fault) => {
        fake.fail(fault);
        const failure = (await ask(sut, request()).catch((error: unknown) => error)) as Error;
        expect(failure).toMatchObject({ type: 'unavailable', retryable: true });
        expect(failure.message).not.toMatch(/proxy-7|<html>/);
      });

      it.each([[null], [{ input: -5, output: 'many' }], [{ input: 12, output: 0 }], [{ input: 'x', output: 7 }]])(
        'marks the usage %j as incomplete, so that the most is charged',
        async (usage) => {
          harness.reply({ text: 'You are Ada.', usage });
          const { tokens } = await ask(sut, request());
          expect(tokens).toMatchObject({ isIncomplete: true });
          for (const count of [tokens.input, tokens.output]) expect(count).toBeGreaterThanOrEqual(0);
        },
      );

      it('clamps absurd counts', async () => {
        harness.reply({ text: 'You are Ada.', usage: { input: 1e30, output: 2.7 } });
        expect((await ask(sut, request())).tokens).toMatchObject({ input: 1e9, output: 2 });
      });

      it('reports a wrong key without showing it', async () => {
        const wrong = harness.make({ ...harness.connection(), apiKey: 'sk-wrong-hunter2' });
        fake.fail({
          status: 401,
          body: errorWith('authentication_error', 'Wrong key: sk-wrong-hunter2 at //user:pass@host'),
        });
        const failure = (await ask(wrong, request()).catch((error: unknown) => error)) as Error;
        expect(failure).toMatchObject({ type: 'authentication', retryable: false });
        expect(failure.message).toContain('[redacted]');
        expect(failure.message).not.toMatch(/hunter2|user:pass/);
      });

      it('says that a prompt is too long', async () => {
        const messages = [{ role: 'user', content: 'word '.repeat(200_000) }] as const;
        await expect(ask(sut, request({ messages }))).rejects.toMatchObject({
          fault: { of: 'length' },
          retryable: false,
        });
      });

      it('ends when the caller aborts, and at a deadline', async () => {
        fake.hold();
        const leaving = new AbortController();
        const call = ask(sut, request(), leaving.signal);
        await fake.waitForInFlight(1);
        leaving.abort();
        await expect(call).rejects.toMatchObject({ type: 'aborted', retryable: false });
        await fake.waitForInFlight(0);
        await expect(ask(sut, request(), AbortSignal.timeout(50))).rejects.toMatchObject({
          type: 'timeout',
          retryable: true,
        });
        fake.release();
        const brief = harness.make({ ...harness.connection(), timeoutMs: 500 });
        await harness.learn?.(brief, request());
        fake.hold();
        await expect(ask(brief, request())).rejects.toMatchObject({ type: 'timeout', retryable: true });
      });

      it('fails with unavailable at an address where nothing listens, and does not show it', async () => {
        const lost = harness.make({ apiKey: 'sk-key', baseUrl: 'http://user:pass@127.0.0.1:9/v1' });
        const failure = (await ask(lost, request()).catch((error: unknown) => error)) as Error;
        expect(failure).toMatchObject({ type: 'unavailable', retryable: true });
        expect(failure.message).toMatch(/^The AI provider could not be reached( \([A-Z_]+\))?$/);
      });

      it('refuses a conversation without a message to answer', async () => {
        const messages = [{ role: 'assistant', content: 'Hello' }] as const;
        await expect(ask(sut, request({ messages }))).rejects.toMatchObject({
          type: 'invalid_request',
          retryable: false,
        });
      });
    });

    describe('in a stream', () => {
      const long = 'one two three four five six seven eight nine ten eleven twelve';

      it.each([undefined, 503])(
        'reports the text and the tokens of a stream that broke off (error %s)',
        async (status) => {
          harness.reply({ text: long });
          fake.interruptStream(3, status);
          const seen: string[] = [];
          const reading = async () => {
            for await (const event of sut.stream(request())) if (event.type === 'delta') seen.push(event.text);
          };
          await expect(reading()).rejects.toMatchObject({
            type: 'unavailable',
            retryable: true,
            tokens: { isIncomplete: true, output: expect.any(Number) },
          });
          expect(long.startsWith(seen.join(''))).toBe(true);
          expect(seen.join('')).not.toBe('');
        },
      );

      it('ends in the middle when the caller leaves', async () => {
        harness.reply({ text: long.repeat(20) });
        fake.streamPauseMs = 20;
        const leaving = new AbortController();
        const reading = async () => {
          for await (const event of sut.stream(request({ maxTokens: 1_000 }), leaving.signal))
            if (event.type === 'delta') leaving.abort();
        };
        await expect(reading()).rejects.toMatchObject({ type: 'aborted' });
        await fake.waitForInFlight(0);
      });
    });

    it('lists its models, and says which it offers', async () => {
      expect(await sut.models()).toEqual([model, 'another-model']);
      expect(await sut.offers(model)).toBe(true);
      expect(await sut.offers('a-third-one')).toBe(false);
      fake.models = undefined;
      expect(await sut.models()).toBeUndefined();
      expect(await sut.offers(model)).toBeUndefined();
      fake.fail({ kind: 'drop_before' });
      await expect(sut.models()).rejects.toMatchObject({ type: 'unavailable' });
    });

    it('does not read an answer that fills the memory', async () => {
      harness.reply({ text: 'x'.repeat(20_000_000) });
      await expect(sut.complete(request({ maxTokens: 64_000_000 }))).rejects.toMatchObject({ type: 'unavailable' });
    });
  });
}

/** In Anthropic's and OpenAI's form at once. */
function errorWith(type: string, message: string): object {
  return { type: 'error', error: { type, message, code: null, param: null } };
}
