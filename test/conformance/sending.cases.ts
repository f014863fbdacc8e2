import type { PartRefused } from '#platforms';
import type { NotApplicable } from './harness';
import { describeUnless, PLAIN, type Session } from './session';

export function describeSending(session: Session, notApplicable: NotApplicable): void {
  it('sends a text and gives each part an id of its own', async () => {
    const { adapter } = session.harness;
    const words = 'word '.repeat(adapter.capabilities.maxTextLength / 3);
    const outcomes = await session.send(words);
    expect(outcomes.length).toBeGreaterThan(1);
    const ids = outcomes.map((outcome) => outcome.accepted && outcome.platformMessageId);
    expect(new Set(ids).size).toBe(outcomes.length);
    expect(ids).not.toContain(false);
  });

  it('splits at its limit, in order, and keeps short texts whole', () => {
    const { adapter } = session.harness;
    const { maxTextLength } = adapter.capabilities;
    const parts = adapter.split('x'.repeat(maxTextLength * 2 + 1), PLAIN);
    expect(parts.map(({ index, text }) => [index, text.length])).toEqual([
      [0, maxTextLength],
      [1, maxTextLength],
      [2, 1],
    ]);
    expect(adapter.split('short', PLAIN)).toEqual([{ index: 0, text: 'short' }]);
  });

  it('shows that an answer is being written, and never fails at it', async () => {
    const { adapter, recipient } = session.harness;
    await expect(adapter.showTyping(recipient, undefined)).resolves.toBeUndefined();
    await session.harness.goDown();
    await expect(adapter.showTyping(recipient, undefined)).resolves.toBeUndefined();
  });

  it('names every refusal of the platform', async () => {
    const cases = session.harness.refusals();
    expect(cases).not.toHaveLength(0);
    const outcomes: Record<string, unknown> = {};
    const expected: Record<string, unknown> = {};
    for (const refusal of cases) {
      const [outcome] = await session.send('Hello', {}, await refusal.arrange());
      const { failure, retryAfterMs } = outcome as PartRefused;
      const { code, platform_code, retryable } = failure ?? {};
      outcomes[refusal.name] = { code, platform_code, retryable, retryAfterMs };
      expected[refusal.name] = { retryAfterMs: undefined, ...refusal.expected };
    }
    expect(outcomes).toEqual(expected);
    expect(session.harness.sent()).toEqual([]);
  });

  describeUnless(notApplicable, 'platform side', () => {
    it('sends the text as it is, to the recipient', async () => {
      await session.send('a < b & **c**');
      expect(session.harness.sent()).toEqual([
        expect.objectContaining({
          recipient: session.harness.recipient,
          text: 'a < b & **c**',
          formatted: false,
          silent: false,
          repliesTo: undefined,
        }),
      ]);
    });

    it('renders markdown', async () => {
      await session.send('**bold** text', { parseMode: 'markdown' });
      expect(session.harness.sent()).toEqual([expect.objectContaining({ text: 'bold text', formatted: true })]);
    });

    it('sends as a reply, with the first part only', async () => {
      const [first] = await session.send('Question');
      const replyTo = first?.accepted ? first.platformMessageId : '';
      const long = 'x'.repeat(session.harness.adapter.capabilities.maxTextLength + 1);
      await session.send(long, { replyTo });
      const [, ...parts] = session.harness.sent();
      expect(parts.map(({ repliesTo }) => repliesTo)).toEqual([replyTo, undefined]);
    });

    it('sends all the same when the message replied to is gone', async () => {
      const [outcome] = await session.send('Answer', { replyTo: `${session.harness.recipient}:987654` });
      expect(outcome?.accepted).toBe(true);
    });
  });

  describeUnless(notApplicable, 'silence', () => {
    it('sends every part silently when asked to', async () => {
      const long = 'x'.repeat(session.harness.adapter.capabilities.maxTextLength + 1);
      await session.send(long, { disableNotification: true });
      expect(session.harness.sent().map(({ silent }) => silent)).toEqual([true, true]);
    });
  });

  describeUnless(notApplicable, 'markup rejection', () => {
    it('sends the plain text if the platform rejects the markup', async () => {
      session.harness.rejectNextMarkup();
      await session.send('**bold** text', { parseMode: 'markdown' });
      const sent = session.harness.sent();
      expect(sent).toEqual([expect.objectContaining({ text: '**bold** text', formatted: false })]);
    });
  });

  describeUnless(notApplicable, 'network', () => {
    it.each(['loseNextAnswer', 'hangNextSend', 'answerNextSendByProxy'] as const)(
      'calls a send ambiguous, and repeats it only where the platform recognises it, after %s',
      async (fault) => {
        session.harness[fault]();
        const [outcome] = await session.send('Once');
        const { deduplicatesSends } = session.harness.adapter.capabilities;
        const ambiguous = { accepted: false, failure: { code: 'ambiguous', retryable: true } };
        expect(outcome).toMatchObject(deduplicatesSends ? { accepted: true } : ambiguous);
        expect(session.harness.sent().length).toBe(deduplicatesSends || fault === 'loseNextAnswer' ? 1 : 0);
        expect(JSON.stringify(outcome)).not.toContain(session.harness.secret);
      },
    );

    it('knows that nothing was written when the platform cannot be reached', async () => {
      await session.harness.goDown();
      const [outcome] = await session.send('Never');
      expect(outcome).toMatchObject({ accepted: false, failure: { code: 'platform_unavailable', retryable: true } });
      expect(JSON.stringify(outcome)).not.toContain(session.harness.secret);
    });

    it('writes nothing when it was called off before', async () => {
      const { adapter, recipient } = session.harness;
      const request = { messageId: 'msg_1', environment: 'live', recipient, options: PLAIN } as const;
      const outcome = await adapter.sendPart(request, { index: 0, text: 'No' }, AbortSignal.abort());
      expect(outcome).toMatchObject({ accepted: false, failure: { code: 'platform_unavailable' } });
      expect(session.harness.sent()).toEqual([]);
    });
  });
}
