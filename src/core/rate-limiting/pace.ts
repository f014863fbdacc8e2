/** Turns `intervalMs` apart, of which `burst` may be taken at once. */
export interface Pace {
  readonly key: string;
  readonly intervalMs: number;
  readonly burst: number;
}
