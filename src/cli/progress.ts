import type { Output } from './output';

/** A line is drawn anew this often at most, in milliseconds. */
const EVERY_MS = 100;
const MIB = 1 << 20;

/** Shows how many rows a backup has, on a terminal. */
export function rowProgress(output: Output): ((rows: number) => void) | undefined {
  if (!output.showsProgress) return undefined;
  return (rows) => output.progress(`Backing up: ${rows.toLocaleString('en')} rows`);
}

/** Shows how much was read, on a terminal. */
export class ByteProgress {
  private bytes = 0;
  private drawnAt = -Infinity;

  constructor(
    private readonly output: Output,
    private readonly word: string,
  ) {}

  readonly add = (bytes: number): void => {
    this.bytes += bytes;
    if (performance.now() - this.drawnAt < EVERY_MS) return;
    this.drawnAt = performance.now();
    this.output.progress(`${this.word}: ${(this.bytes / MIB).toFixed(1)} MiB`);
  };

  /** Takes the line away. */
  end(): void {
    this.output.progress('');
  }
}
