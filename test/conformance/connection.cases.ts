import type { NotApplicable } from './harness';
import { describeUnless, failureOf, type Session, shownBy } from './session';

export function describeConnection(session: Session, notApplicable: NotApplicable): void {
  it('connects, proves it with details and stops within a second when told to', async () => {
    const { running } = await session.connect();
    expect(Object.keys(session.sink.proofs[0] ?? {})).not.toHaveLength(0);
    const asked = performance.now();
    await session.disconnect();
    await expect(running).resolves.toBeUndefined();
    expect(performance.now() - asked).toBeLessThan(1_000);
  });

  it('does not connect at all when it was told to stop before', async () => {
    const { adapter } = session.harness;
    await expect(adapter.run(session.sink, session.sink, AbortSignal.abort())).resolves.toBeUndefined();
    expect(session.sink.proofs).toEqual([]);
  });

  describeUnless(notApplicable, 'connecting', () => {
    it('proves the connection again and again', async () => {
      await session.connect();
      await session.sink.until(({ proofs }) => proofs.length >= 3);
      expect(session.sink.warnings).toEqual([]);
    });

    it('gives up on bad credentials, in words an operator can act on and without the credentials', async () => {
      const { adapter, secret } = await session.harness.withBadCredentials();
      const error = await failureOf(session.run(adapter));
      expect(error).toMatchObject({ fatal: true, fault: { code: 'unauthorized' } });
      expect(shownBy(error)).not.toContain(secret);
    });

    it('passes on how long the platform asks to wait', async () => {
      session.harness.throttleConnection(7);
      const error = await failureOf(session.run());
      expect(error).toMatchObject({ fatal: false, retryAfterMs: 7_000, fault: { code: 'rate_limited' } });
    });

    it('rejects when the platform goes down, and connects again when it is back', async () => {
      const { running } = await session.connect();
      await session.harness.goDown();
      const lost = await failureOf(running);
      const stillDown = await failureOf(session.run());
      for (const error of [lost, stillDown]) {
        expect(error).toMatchObject({ fatal: false, fault: { code: 'unreachable' } });
        expect(shownBy(error)).not.toContain(session.harness.secret);
      }
      await session.harness.comeBack();
      await session.connect();
    });
  });

  describeUnless(notApplicable, 'conflict', () => {
    it('rejects when another process takes the connection, saying so, and may be run again', async () => {
      const { running } = await session.connect();
      await session.harness.takeConnection();
      const error = await failureOf(running);
      expect(error).toMatchObject({ fatal: false, fault: { code: 'conflict' } });
      await session.connect();
    });
  });
}
