import { SEND_FAILURES, type SendFailureCode } from '#contracts';
import type { PartRefused } from '#platforms';
import type { RetryAfter } from '../fakes/fault-queue';
import type { CasesOf } from './cases';
import type { RefusalCase } from './harness';
import { failureOf, PLAIN, type Session, shownBy } from './session';

const DAY_MS = 86_400_000;
/** Failure codes that the gateway itself sets, not a platform. */
const DECIDED_BY_THE_GATEWAY: ReadonlySet<SendFailureCode> = new Set([
  'taken_over',
  'attachment_unavailable',
  'erased',
  'expired',
]);

/** The wait that a platform asks for, in seconds, and the pause, in milliseconds (undefined: the harness' `usualPauseMs`). */
const PAUSES: readonly [asked: RetryAfter, ms: number | undefined][] = [
  [7, 7_000],
  [1.25, 1_250],
  [0.3, 1_000],
  [1e12, DAY_MS],
  [0, undefined],
  [-1, undefined],
  ['soon', undefined],
];

export const TROUBLE_CASES: CasesOf<
  'every failure class' | '429' | 'outage' | 'recovery' | 'reconnect while reconnecting' | 'ambiguous outcome'
> = {
  'every failure class'(session) {
    it('has a case, or a reason why the platform never fails so', () => {
      const { harness } = session;
      const shown = new Set<SendFailureCode>(harness.refusals().map(({ expected }) => expected.code));
      for (const code of Object.keys(SEND_FAILURES) as SendFailureCode[]) {
        if (DECIDED_BY_THE_GATEWAY.has(code)) continue;
        const reason = harness.neverFailsWith[code];
        expect([code, shown.has(code)]).toEqual([code, reason === undefined]);
      }
    });

    it('is named as the catalogue has it, with the platform’s own code, and nothing is sent', async () => {
      await expectOutcomes(session, session.harness.refusals());
      expect(session.harness.sent()).toEqual([]);
    });
  },

  '429'(session) {
    it('passes on how long a send is to wait, and sends nothing meanwhile', async () => {
      const throttled = session.harness.refusals().filter(({ expected }) => expected.retryAfterMs !== undefined);
      expect(throttled).not.toHaveLength(0);
      await expectOutcomes(session, throttled);
      expect(session.harness.sent()).toEqual([]);
    });

    it.each([
      ['seconds', () => '3', [2_999, 3_000]],
      // A date has no fractions of a second, and time passes until the adapter reads it.
      ['a date', () => new Date(Date.now() + 60_000).toUTCString(), [30_000, 60_000]],
      ['nothing readable', () => 'soon', [999, 1_000]],
      ['no time', () => '0', [999, 1_000]],
      ['less than no time', () => '-1', [999, 1_000]],
      ['part of a second', () => '0.3', [999, 1_000]],
      ['years', () => '1000000000', [DAY_MS - 1, DAY_MS]],
    ])('is one also in a form that is not the platform’s, with a pause of %s', async (_what, header, [least, most]) => {
      session.harness.throttleNextSendByProxy(header());
      const [outcome] = await session.send('Later');
      expect(outcome).toMatchObject({ accepted: false, failure: { code: 'rate_limited', platform_code: '429' } });
      const { retryAfterMs } = outcome as PartRefused;
      expect(retryAfterMs).toBeGreaterThan(least!);
      expect(retryAfterMs).toBeLessThanOrEqual(most!);
    });

    it('is told to the observer of limits, as a call without ids', async () => {
      const throttled = session.harness.refusals().find(({ expected }) => expected.retryAfterMs !== undefined);
      const calls: string[] = [];
      session.harness.adapter.observeRateLimits?.(({ call }) => void calls.push(call));
      await session.send('Hello', {}, await throttled!.arrange());
      expect(calls).toEqual([expect.stringMatching(/^[A-Za-z][^\d]*$/)]);
    });

    it.each(PAUSES)('has a send wait a second at least and a day at most when it asks for %j s', async (asked, ms) => {
      session.harness.throttleNextSend(asked);
      const [outcome] = await session.send('Later');
      const retryAfterMs = ms ?? session.harness.usualPauseMs;
      expect(outcome).toMatchObject({ accepted: false, failure: { code: 'rate_limited' }, retryAfterMs });
      expect(session.harness.sent()).toEqual([]);
    });

    it.each(PAUSES)(
      'has a connection wait a second at least and a day at most when it asks for %j s',
      async (asked, ms) => {
        session.harness.throttleConnection(asked);
        const error = await failureOf(session.run());
        const retryAfterMs = ms ?? session.harness.usualPauseMs;
        expect(error).toMatchObject({ fatal: false, fault: { code: 'rate_limited' }, retryAfterMs });
      },
    );
  },

  outage(session) {
    it('ends the connection, and lets none be made', async () => {
      const { running } = await session.connect();
      await session.harness.goDown();
      const lost = await failureOf(running);
      const stillDown = await failureOf(session.run());
      for (const error of [lost, stillDown]) {
        expect(error).toMatchObject({ fatal: false, fault: { code: 'unreachable' } });
        expect(shownBy(error)).not.toContain(session.harness.secret);
      }
    });

    it('is known to have let nothing through', async () => {
      await session.harness.goDown();
      const [outcome] = await session.send('Never');
      expect(outcome).toMatchObject({ accepted: false, failure: { code: 'platform_unavailable', retryable: true } });
    });
  },

  recovery(session) {
    it('connects, receives and sends again after an outage', async () => {
      const { running } = await session.connect();
      await session.harness.goDown();
      await failureOf(running);
      await session.harness.comeBack();
      await session.connect();
      await session.harness.receive({ chatId: '41', text: 'Are you back?' });
      await session.harness.allConfirmed();
      expect(session.sink.messages.map(({ content }) => content)).toEqual(['Are you back?']);
      const [outcome] = await session.send('Yes');
      expect(outcome?.accepted).toBe(true);
    });

    it('hands over what arrived while it was away, once', async () => {
      await session.connect();
      await session.disconnect();
      const count = 250;
      for (let index = 0; index < count; index += 1)
        await session.harness.receive({ chatId: String(100 + (index % 10)), text: `message ${index}` });
      await session.connect();
      await session.harness.allConfirmed();
      expect(new Set(session.sink.messages.map(({ content }) => content)).size).toBe(count);
      expect(session.sink.messages).toHaveLength(count);
    });
  },

  'reconnect while reconnecting'(session) {
    it('leaves one connection, when the next is asked for before the last one was made', async () => {
      const hanging = session.harness.hangConnection();
      const first = session.run();
      await hanging;
      // Like the supervisor, which does not wait for the adapter to end.
      session.interrupt();
      await session.connect();
      await expect(first).resolves.toBeUndefined();
      await session.harness.onlyConnection();
    });

    it('leaves one connection, however often it is asked for', async () => {
      const attempts = Array.from({ length: 5 }, () => {
        session.interrupt();
        return session.run();
      });
      await session.sink.until(({ proofs }) => proofs.length > 0);
      await expect(Promise.all(attempts.slice(0, -1))).resolves.toEqual([undefined, undefined, undefined, undefined]);
      await session.harness.onlyConnection();
    });
  },

  'ambiguous outcome'(session) {
    it.each(['loseNextAnswer', 'hangNextSend', 'answerNextSendByProxy'] as const)(
      'is called so, and the send repeated only where the platform recognises it, after %s',
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

    it('is none for a send that was called off before', async () => {
      const { adapter, recipient } = session.harness;
      const request = { messageId: 'msg_1', environment: 'live', recipient, options: PLAIN } as const;
      const outcome = await adapter.sendPart(request, { index: 0, text: 'No' }, AbortSignal.abort());
      expect(outcome).toMatchObject({ accepted: false, failure: { code: 'platform_unavailable' } });
    });
  },
};

async function expectOutcomes(session: Session, cases: readonly RefusalCase[]): Promise<void> {
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
}
