import type { CasesOf } from './cases';
import { failureOf, shownBy } from './session';

export const CONNECTION_CASES: CasesOf<'connect' | 'stop' | 'liveness' | 'credentials' | 'conflict'> = {
  connect(session) {
    it('connects, and proves it with details', async () => {
      await session.connect();
      expect(Object.keys(session.sink.proofs[0] ?? {})).not.toHaveLength(0);
    });
  },

  stop(session) {
    it('stops within a second when told to', async () => {
      const { running } = await session.connect();
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
  },

  liveness(session) {
    it('proves the connection again and again', async () => {
      await session.connect();
      await session.sink.until(({ proofs }) => proofs.length >= 3);
      expect(session.sink.warnings).toEqual([]);
    });
  },

  credentials(session) {
    it('gives up on bad ones, in words an operator can act on and without the credentials', async () => {
      const { adapter, secret } = await session.harness.withBadCredentials();
      const error = await failureOf(session.run(adapter));
      expect(error).toMatchObject({ fatal: true, fault: { code: 'unauthorized' } });
      expect(shownBy(error)).not.toContain(secret);
    });

    it('shows nothing of them when a send fails', async () => {
      await session.harness.goDown();
      expect(JSON.stringify(await session.send('Never'))).not.toContain(session.harness.secret);
    });
  },

  conflict(session) {
    it('rejects when another process takes the connection, saying so, and may be run again', async () => {
      const { running } = await session.connect();
      await session.harness.takeConnection();
      const error = await failureOf(running);
      expect(error).toMatchObject({ fatal: false, fault: { code: 'conflict' } });
      await session.connect();
    });
  },
};
