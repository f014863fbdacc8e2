import type { ReceivedPost } from '../fakes/receiver.fake';

interface CommittedEvent {
  /** `evt_…` */
  id: string;
  /** Its delivery was given up. */
  failed: boolean;
}

/** How often each committed event arrived. */
export class Tally {
  /** Of each committed event that arrived. */
  readonly times: number[];
  private readonly missing: number;
  private readonly strangers: number;
  private readonly failed: number;

  /** @param elapsedMs since the fault was over */
  constructor(
    private readonly committed: readonly CommittedEvent[],
    posts: readonly ReceivedPost[],
    private readonly elapsedMs: number,
  ) {
    const arrived = new Map<string, number>();
    for (const { event } of posts) arrived.set(event.id, (arrived.get(event.id) ?? 0) + 1);
    this.missing = committed.filter(({ id, failed }) => !failed && !arrived.has(id)).length;
    this.failed = committed.filter(({ failed }) => failed).length;
    this.times = committed.flatMap(({ id }) => arrived.get(id) ?? []);
    this.strangers = arrived.size - this.times.length;
  }

  /** The most times that any event arrived. */
  get most(): number {
    return Math.max(0, ...this.times);
  }

  /**
   * @param failed how many deliveries were to be given up
   * @throws while {committed} = {received} ∪ {failed} does not hold
   */
  assertComplete(failed: number): void {
    if (this.failed !== failed) throw new Error(`${this.failed} were given up instead of ${failed}`);
    if (this.missing > 0) throw new Error(`${this.missing} of ${this.committed.length} are missing`);
    if (this.strangers > 0) throw new Error(`${this.strangers} events arrived that were never committed`);
  }

  /** Says in one line what was seen. */
  print(fault: string): this {
    const doubles = this.times.filter((count) => count > 1).length;
    const seconds = (this.elapsedMs / 1_000).toFixed(1);
    process.stdout.write(
      `  ${fault}: ${this.committed.length} events, ${doubles} doubled, ${this.failed} failed, drained in ${seconds} s\n`,
    );
    return this;
  }
}
