/** The longest that work on a stranger's input may keep the event loop, in milliseconds. */
export const LONGEST_MS = 50;
/** The first try also compiles the code; the collector of garbage may stop any. */
const TRIES = 3;

/** The best of three tries in milliseconds of this thread's CPU: what else runs on the machine does not count. */
export async function leastCpuOf(work: () => unknown): Promise<number> {
  let least = Infinity;
  for (let tries = 0; tries < TRIES; tries += 1) {
    const before = process.threadCpuUsage();
    await work();
    const { user, system } = process.threadCpuUsage(before);
    least = Math.min(least, (user + system) / 1_000);
  }
  return least;
}
