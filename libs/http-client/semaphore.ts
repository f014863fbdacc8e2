/** Limits how much is under way at once: tasks, or bytes. The others wait in order of arrival. */
export class Semaphore {
  private readonly waiting: { count: number; proceed: () => void }[] = [];

  /** @param free how many, from 1 */
  constructor(private free: number) {}

  /** Resolves or rejects as the task does. @param signal ends the wait for a place */
  async run<T>(task: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const release = await this.take(1, signal);
    try {
      return await task();
    } finally {
      release();
    }
  }

  /**
   * Takes all of `count` at once. A large one is not overtaken by smaller ones that come later.
   * @param count at most as many as there are in all
   * @param signal ends the wait
   * @returns gives them back; call it once
   * @throws the signal's reason
   */
  async take(count: number, signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    if (this.waiting.length > 0 || count > this.free) await this.wait(count, signal);
    else this.free -= count;
    return () => {
      this.free += count;
      this.proceed();
    };
  }

  private async wait(count: number, signal: AbortSignal | undefined): Promise<void> {
    const { promise, resolve: proceed, reject } = Promise.withResolvers<void>();
    const waiter = { count, proceed };
    const leave = () => {
      const index = this.waiting.indexOf(waiter);
      if (index === -1) return;
      this.waiting.splice(index, 1);
      reject(signal!.reason as Error);
      this.proceed();
    };
    this.waiting.push(waiter);
    signal?.addEventListener('abort', leave);
    try {
      await promise;
    } finally {
      signal?.removeEventListener('abort', leave);
    }
  }

  private proceed(): void {
    while (this.waiting.length > 0 && this.waiting[0]!.count <= this.free) {
      const { count, proceed } = this.waiting.shift()!;
      this.free -= count;
      proceed();
    }
  }
}

/** A semaphore for each key. */
export class KeyedSemaphore {
  private readonly used = new Map<string, { semaphore: Semaphore; tasks: number }>();

  /** @param free how many tasks of one key run at once, from 1 */
  constructor(private readonly free: number) {}

  /** Resolves or rejects as the task does. @param signal ends the wait for a place */
  async run<T>(key: string, task: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const own = this.used.get(key) ?? { semaphore: new Semaphore(this.free), tasks: 0 };
    this.used.set(key, own);
    own.tasks += 1;
    try {
      return await own.semaphore.run(task, signal);
    } finally {
      own.tasks -= 1;
      if (own.tasks === 0) this.used.delete(key);
    }
  }
}
