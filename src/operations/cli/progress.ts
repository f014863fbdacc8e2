import type { Output } from './output';

/** A bar is drawn at most once in this time, in milliseconds. */
const EVERY_MS = 100;
const WIDTH = 30;

/** A progress bar on a terminal: `Restoring  [############------------------]  40 %`. */
export class Progress {
  private drawnAt = -Infinity;
  private drawn?: string;

  constructor(private readonly output: Output) {}

  /** @param share from 0 to 1 */
  show(word: string, share: number): void {
    if (!this.output.showsProgress) return;
    // The first and the last state of each word are always drawn.
    const isDue = word !== this.drawn || share >= 1 || performance.now() - this.drawnAt >= EVERY_MS;
    if (!isDue) return;
    this.drawnAt = performance.now();
    this.drawn = word;
    const full = Math.floor(share * WIDTH);
    const percent = `${Math.floor(share * 100)}`.padStart(3);
    this.output.progress(`${word}  [${'#'.repeat(full)}${'-'.repeat(WIDTH - full)}] ${percent} %`);
  }

  /** Removes the line. */
  end(): void {
    this.output.progress('');
  }
}
