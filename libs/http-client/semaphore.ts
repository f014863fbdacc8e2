/** Limits how many tasks run at once. The others wait in order of arrival. */
export class Semaphore {
  private readonly waiting: (() => void)[] = [];

  /** @param free how many, from 1 */
  constructor(private free: number) {}

  /** Resolves or rejects as the task does. */
  async run<T>(task: () => Promise<T>): Promise<T> {
    if (this.free > 0) this.free -= 1;
    else await new Promise<void>((resolve) => this.waiting.push(resolve));
    try {
      return await task();
    } finally {
      const next = this.waiting.shift();
      if (next) next();
      else this.free += 1;
    }
  }
}
