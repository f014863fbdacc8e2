/** Turns `intervalMs` apart, of which `burst` may be taken at once. */
export interface Pace {
  readonly key: string;
  readonly intervalMs: number;
  readonly burst: number;
}

/** Gives the turns of a deployment: all of its processes share them. The program provides it under this token. */
export abstract class Pacer {
  /**
   * Takes a turn in all paces if it comes within `longestMs`, or in none. Synchronous unless other processes must be asked.
   * @returns milliseconds until the turn; more than `longestMs`: it is not taken, ask again then
   */
  abstract turnIn(paces: readonly Pace[], longestMs: number): number | Promise<number>;
}
