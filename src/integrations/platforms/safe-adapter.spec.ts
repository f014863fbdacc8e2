import { accountOf } from '../../../test/support/accounts';
import { PassThrough } from 'node:stream';
import { sendFailure } from '#contracts';
import type { CallbackResponse, PartOutcome, PlatformAdapter, SendRequest } from '#platforms';
import { SafeAdapter, UNEXPECTED } from './safe-adapter';

const REQUEST: SendRequest = {
  messageId: 'msg_01h455vb4pex5vsknk084sn02q',
  environment: 'live',
  recipient: '7',
  options: { parseMode: 'plain', disableNotification: false, linkPreview: true },
};
const PART = { index: 0, text: 'Hello' };
const ACCEPTED: PartOutcome = { accepted: true, platformMessageId: '1' };
const AMBIGUOUS = { accepted: false, failure: { code: 'ambiguous', platform_code: null, retryable: true } };
const POST = { method: 'POST', query: {}, headers: {}, rawBody: Buffer.alloc(0) } as const;

describe(SafeAdapter.name, () => {
  const health = { succeeded: jest.fn(), failed: jest.fn(), sendFailed: jest.fn() };
  const safe = (behaviour: Partial<PlatformAdapter>) =>
    new SafeAdapter(
      { platform: 'telegram', capabilities: { maxTextLength: 10 }, ...behaviour } as PlatformAdapter,
      accountOf('live', 'telegram'),
      health,
      { sendMs: 20, sendGraceMs: 200, callbackMs: 20 },
    );
  const send = (sendPart: PlatformAdapter['sendPart']) => safe({ sendPart }).sendPart(REQUEST, PART);

  beforeEach(() => jest.clearAllMocks());

  it('treats a send that never ends as ambiguous, after its time limit and the grace period', async () => {
    expect(await send(() => new Promise(() => undefined))).toMatchObject(AMBIGUOUS);
    expect(health.failed).toHaveBeenCalledWith(accountOf('live', 'telegram'), 'sending', UNEXPECTED);
  });

  it('uses the outcome of a send that ends within the grace period', async () => {
    const whenAborted = (signal: AbortSignal) =>
      new Promise<PartOutcome>((resolve) => signal.addEventListener('abort', () => resolve(ACCEPTED)));
    expect(await send((_request, _part, signal) => whenAborted(signal))).toEqual(ACCEPTED);
    expect(health.failed).not.toHaveBeenCalled();
  });

  it('treats a send that throws as ambiguous', async () => {
    const thrown = send(() => {
      throw new Error('sendPart');
    });
    expect(await thrown).toMatchObject(AMBIGUOUS);
    expect(health.failed).toHaveBeenCalledWith(accountOf('live', 'telegram'), 'sending', UNEXPECTED);
  });

  it('records the health of sending', async () => {
    await send(() => Promise.resolve(ACCEPTED));
    expect(health.succeeded.mock.calls).toEqual([[accountOf('live', 'telegram'), 'sending']]);
    const refusal = { accepted: false, failure: { ...AMBIGUOUS.failure, message: 'x' } } as PartOutcome;
    await send(() => Promise.resolve(refusal));
    expect(health.sendFailed.mock.calls).toEqual([[accountOf('live', 'telegram'), refusal]]);
  });

  it('does not count a pause of the adapter itself as a platform failure', async () => {
    const pause = {
      accepted: false,
      failure: sendFailure('rate_limited'),
      retryAfterMs: 6_000,
      isOwnPause: true,
    } as const;
    expect(await send(() => Promise.resolve(pause))).toEqual(pause);
    expect(health.sendFailed).not.toHaveBeenCalled();
    expect(health.failed).not.toHaveBeenCalled();
  });

  it('answers a callback that never ends with 503, so the platform retries it', async () => {
    const sut = safe({ callback: () => new Promise(() => undefined) });
    expect(await sut.callback!(POST, {} as never)).toEqual({ status: 503, body: '' });
    expect(health.failed).toHaveBeenCalledWith(accountOf('live', 'telegram'), 'receiving', UNEXPECTED);
  });

  it.each<[CallbackResponse['status'], number]>([
    [200, 1],
    [401, 0],
    [503, 0],
  ])('records, for a callback that the adapter answers with %d, %d successes of receiving', async (status, times) => {
    await safe({ callback: () => Promise.resolve({ status, body: '' }) }).callback!(POST, {} as never);
    expect(health.succeeded).toHaveBeenCalledTimes(times);
    expect(health.failed).not.toHaveBeenCalled();
  });

  it('has no callback if the adapter has none', () => {
    expect(typeof safe({}).callback).toBe('undefined');
  });

  it('splits a text by length if the adapter’s split throws', () => {
    const sut = safe({
      split: () => {
        throw new Error('split');
      },
    });
    const texts = sut.split('one two three', REQUEST.options).map(({ text }) => text);
    expect(texts.join('')).toBe('one two three');
  });

  it("plans a text, and refuses files, if the adapter's plan is missing or throws", async () => {
    const text = { recipient: '7', text: 'one two three', options: REQUEST.options };
    const files = [{ kind: 'image', mimeType: 'image/png', filename: 'a.png', sizeBytes: 1, open: jest.fn() }] as const;
    const split = (whole: string) => [{ index: 0, text: whole }];
    const failing = () => Promise.reject(new Error('plan'));
    for (const sut of [safe({ split }), safe({ split, plan: failing })]) {
      expect(await sut.plan(text)).toEqual({ parts: [{ index: 0, text: 'one two three' }] });
      expect(await sut.plan({ ...text, files })).toEqual({ refusal: 'telegram accepts only text' });
    }
  });

  it('allows a part with files more time', async () => {
    const file = { kind: 'image', mimeType: 'image/png', filename: 'a.png', open: jest.fn() } as const;
    const whenAborted = (_: unknown, __: unknown, signal: AbortSignal) =>
      new Promise<PartOutcome>((resolve) => signal.addEventListener('abort', () => resolve(ACCEPTED)));
    const startedAt = performance.now();
    const part = { ...PART, files: [{ ...file, sizeBytes: 100_000 }] };
    expect(await safe({ sendPart: whenAborted }).sendPart(REQUEST, part)).toEqual(ACCEPTED);
    expect(performance.now() - startedAt).toBeGreaterThan(380);
  });

  it('forwards the abort of a download, and treats an error as temporary', async () => {
    const ended = new AbortController();
    const body = new PassThrough();
    const download: PlatformAdapter['download'] = (_ref, signal) => {
      signal.addEventListener('abort', () => body.destroy());
      return Promise.resolve({ started: true, body });
    };
    expect(await safe({ download }).download('ref', ended.signal)).toEqual({ started: true, body });
    ended.abort();
    expect(body.destroyed).toBe(true);
    const failing = () => Promise.reject(new Error('download'));
    const { signal } = new AbortController();
    expect(await safe({ download: failing }).download('ref', signal)).toMatchObject({ failure: 'later' });
    expect(await safe({}).download('ref', signal)).toMatchObject({ failure: 'expired' });
  });

  it('ends a listing of templates whose adapter ignores its signal', async () => {
    const ending = new AbortController();
    const listing = safe({ templates: () => new Promise(() => undefined) }).templates(ending.signal);
    ending.abort();
    await expect(listing).rejects.toThrow('the platform did not respond in time');
  });

  it('aborts the signal of a connection that ended', async () => {
    const ending = new AbortController();
    const heard = Promise.withResolvers<unknown>();
    const sut = safe({
      run: async (_sink, _observer, signal) =>
        signal.addEventListener('abort', () => heard.resolve(signal.reason as unknown)),
    });
    ending.abort('the end');
    await sut.run({} as never, {} as never, ending.signal);
    await expect(sut.run({} as never, {} as never, new AbortController().signal)).resolves.toBeUndefined();
    expect(await heard.promise).toMatchObject({ name: 'AbortError' });
  });
});
