import { Semaphore } from '#http-client';

/** The most runs that wait outside of their places: each holds its row and memory. */
const MOST_OUTSIDE = 1_000;

/** A run's place among those of its kind and environment. */
export interface WorkPlace {
  /**
   * Does work that waits for others, such as an answer of a stranger's server, without the place: another run may have it
   * meanwhile. The promise settles once the run has a place again.
   */
  leave<T>(work: () => Promise<T>): Promise<T>;
}

/** How many runs of a kind are under way at once in an environment, in this process. */
export class WorkPlaces {
  private readonly places: Semaphore;
  private outside = 0;

  constructor(count: number) {
    this.places = new Semaphore(count);
  }

  /**
   * Runs work in a place.
   * @param onFree called once, when the run has left its place or has ended: its worker may begin another one
   */
  async run<T>(work: (place: WorkPlace) => Promise<T>, onFree: () => void): Promise<T> {
    let release: (() => void) | undefined = await this.places.take(1);
    const leave = async <R>(other: () => Promise<R>): Promise<R> => {
      if (!release || this.outside >= MOST_OUTSIDE) return other();
      release();
      release = undefined;
      this.outside += 1;
      onFree();
      try {
        return await other();
      } finally {
        release = await this.places.take(1);
        this.outside -= 1;
      }
    };
    try {
      return await work({ leave });
    } finally {
      release?.();
      onFree();
    }
  }
}
