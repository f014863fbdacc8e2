import type { PartOutcome, PlatformAdapter, SendRequest } from '#platforms';
import { SafeAdapter } from './safe-adapter';

const REQUEST: SendRequest = {
  messageId: 'msg_01h455vb4pex5vsknk084sn02q',
  environment: 'live',
  recipient: '7',
  options: { parseMode: 'plain', disableNotification: false, linkPreview: true },
};
const PART = { index: 0, text: 'Hello' };
const AMBIGUOUS = { accepted: false, failure: { code: 'ambiguous', platform_code: null, retryable: true } };

describe(SafeAdapter.name, () => {
  const broken = jest.fn();
  const guard = (behaviour: Partial<PlatformAdapter>) =>
    new SafeAdapter(
      { platform: 'telegram', capabilities: { maxTextLength: 10 }, ...behaviour } as PlatformAdapter,
      broken,
      { sendGraceMs: 20, callbackMs: 20 },
    );
  const send = (sendPart: () => unknown, signal = new AbortController().signal) =>
    guard({ sendPart: sendPart as PlatformAdapter['sendPart'] }).sendPart(REQUEST, PART, signal);

  beforeEach(() => broken.mockClear());

  it('counts a send that never ends as ambiguous, a moment after its time is up', async () => {
    expect(await send(() => new Promise(() => undefined), AbortSignal.timeout(20))).toMatchObject(AMBIGUOUS);
    expect(broken).toHaveBeenCalledWith('sending');
  });

  it('waits for a send that ends within that moment', async () => {
    const accepted: PartOutcome = { accepted: true, platformMessageId: '1' };
    const signal = AbortSignal.timeout(10);
    const whenAborted = new Promise((resolve) => signal.addEventListener('abort', () => resolve(accepted)));
    expect(await send(() => whenAborted, signal)).toEqual(accepted);
    expect(broken).not.toHaveBeenCalled();
  });

  it.each([
    ['no outcome', null],
    ['an acceptance without an id', { accepted: true }],
    ['a refusal without a reason', { accepted: false }],
    ['a refusal for a reason that does not exist', { accepted: false, failure: { code: 'toString', message: 'x' } }],
    ['a refusal without words', { accepted: false, failure: { code: 'rate_limited' } }],
  ])('takes %s for ambiguous', async (_, outcome) => {
    expect(await send(() => Promise.resolve(outcome))).toMatchObject(AMBIGUOUS);
  });

  it.each([
    [Infinity, 1_000],
    [Number.NaN, 1_000],
    [-5, 1_000],
    [0, 1_000],
    [1e12, 86_400_000],
    [2_500, 2_500],
  ])('takes a pause of %d ms for %d', async (asked, kept) => {
    const refusal = { accepted: false, failure: { code: 'rate_limited', message: 'x' }, retryAfterMs: asked };
    expect(await send(() => Promise.resolve(refusal))).toMatchObject({ retryAfterMs: kept });
  });

  it('answers a callback that never ends with 503, so that it comes again', async () => {
    const sut = guard({ callback: () => new Promise(() => undefined) });
    const request = { method: 'POST', query: {}, headers: {}, rawBody: Buffer.alloc(0) } as const;
    expect(await sut.callback!(request, {} as never)).toEqual({ status: 503, body: '' });
    expect(broken).toHaveBeenCalledWith('receiving');
  });

  it('has no callback where the adapter has none', () => {
    expect(typeof guard({}).callback).toBe('undefined');
  });

  it('cuts a text plainly where the adapter cannot', () => {
    const sut = guard({
      split: () => {
        throw new Error('split');
      },
    });
    expect(
      sut
        .split('one two three', REQUEST.options)
        .map(({ text }) => text)
        .join(''),
    ).toBe('one two three');
  });
  it('keeps of a connection’s details what the platform told', async () => {
    const proven = jest.fn();
    const sut = guard({
      run: async (_sink, observer) => observer.proven({ id: 7, name: undefined, phone: null } as never),
    });
    await sut.run({} as never, { proven } as never, new AbortController().signal);
    expect(proven).toHaveBeenCalledWith({ id: '7' });
  });

  it('tells a connection why it ends', async () => {
    const ending = new AbortController();
    const heard = Promise.withResolvers<unknown>();
    const sut = guard({
      run: async (_sink, _observer, signal) =>
        signal.addEventListener('abort', () => heard.resolve(signal.reason as unknown)),
    });
    ending.abort('the end');
    await sut.run({} as never, {} as never, ending.signal);
    await expect(sut.run({} as never, {} as never, new AbortController().signal)).resolves.toBeUndefined();
    expect(await heard.promise).toMatchObject({ name: 'AbortError' });
  });
});
