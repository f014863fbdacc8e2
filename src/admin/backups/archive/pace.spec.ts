import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { giveWay } from './pace';

/** Keeps the process busy for that long, in milliseconds. */
function work(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

/** Whether it resolves in this turn of the event loop. */
function isAtOnce(pause: Promise<void>): Promise<boolean> {
  return Promise.race([pause.then(() => true), nextTurn(false)]);
}

describe('giveWay', () => {
  /** Until it has listened. */
  const pieces = async (pause: () => Promise<void>) => {
    for (let piece = 0; piece < 16; piece++) await pause();
  };

  it('does not take the end of the work of the backup itself for requests', async () => {
    const pause = giveWay();
    setTimeout(() => work(10), 1);
    await pieces(pause);
    expect(await isAtOnce(pause())).toBe(true);
  });

  it('pauses between two pieces while the process goes on to be busy', async () => {
    const pause = giveWay();
    const requests = setInterval(() => work(8), 1);
    try {
      await pieces(pause);
      expect(await isAtOnce(pause())).toBe(false);
    } finally {
      clearInterval(requests);
      await sleep(0);
    }
  });
});
