/**
 * How far the events of a gateway session are stored. This, and not the last number received, is what heartbeats and
 * Resume tell Discord: whatever was not stored is replayed.
 */
export class StoredSequence {
  /** In ascending order, because events arrive so. */
  private readonly pending = new Set<number>();

  /** @param received the number of the last event, which is already stored */
  constructor(private received = 0) {}

  /** Forgets received events that are not stored: a new connection resumes from {@link value}, and Discord replays them. */
  rewind(): void {
    this.received = this.value;
    this.pending.clear();
  }

  /** Notes a received event. False if it is already known or has no number. */
  begin(sequence: number): boolean {
    if (!(sequence > this.received)) return false;
    this.received = sequence;
    this.pending.add(sequence);
    return true;
  }

  done(sequence: number): void {
    this.pending.delete(sequence);
  }

  get waiting(): number {
    return this.pending.size;
  }

  /** Everything up to here is stored. */
  get value(): number {
    const [oldest] = this.pending;
    return oldest === undefined ? this.received : oldest - 1;
  }
}
