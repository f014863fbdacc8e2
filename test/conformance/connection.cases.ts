import type { CasesOf } from './cases';
import { failureOf, shownBy } from './session';

type ConnectionCase = 'connect' | 'stop' | 'liveness' | 'credentials' | 'refused token' | 'conflict';

export const CONNECTION_CASES: CasesOf<ConnectionCase> = {
  connect(session) {
    it('connects, and proves it with details', async () => {
      await session.connect();
      expect(Object.keys(session.sink.proofs[0] ?? {})).not.toHaveLength(0);
    });
  },

  stop(session) {
    it('stops when told to, and waits for no answer', async () => {
      const patient = await session.harness.patient?.();
      const { running } = await session.connect(patient?.adapter);
      await patient?.asked();
      const toldAt = performance.now();
      await session.disconnect();
      await expect(running).resolves.toBeUndefined();
      expect(performance.now() - toldAt).toBeLessThan(5_000);
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
      for (let known = session.sink.proofs.length; known < 3; known += 1) {
        session.harness.askForProof?.();
        await session.sink.until(({ proofs }) => proofs.length > known);
      }
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

  'refused token'(session) {
    it('ends the connection for good once a send meets it, and nothing more is called', async () => {
      const { harness } = session;
      const { running } = await session.connect(await harness.quiet());
      await harness.onlyConnection();
      harness.refuseToken(Infinity);
      const calls = harness.calls();
      const sends = await Promise.all(['one', 'two', 'three'].map((text) => session.send(text)));
      for (const [outcome] of sends)
        expect(outcome).toMatchObject({ accepted: false, failure: { code: harness.refusedToken } });
      const error = await failureOf(running);
      expect(error).toMatchObject({ fatal: true, fault: { code: 'unauthorized' } });
      expect(shownBy(error)).not.toContain(harness.secret);
      // Three sends, and one check of the token for all of them.
      expect(harness.calls() - calls).toBe(4);
    });

    it('does no harm when it was a mistake', async () => {
      const { harness } = session;
      await session.connect(await harness.quiet());
      await harness.onlyConnection();
      harness.refuseToken(1);
      const [refused] = await session.send('No');
      expect(refused?.accepted).toBe(false);
      const [accepted] = await session.send('Yes');
      expect(accepted?.accepted).toBe(true);
      await harness.receive({ chatId: '41', text: 'Still there?' });
      await session.sink.until(({ messages }) => messages.length === 1);
      expect(session.sink.warnings).toEqual([]);
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
