interface Kept {
  value: unknown;
  /** Unix milliseconds. */
  until: number;
}

/** Counts and values that the processes of one gateway share. One process holds them: the only one, or the primary. */
export class SharedState {
  private readonly counts = new Map<string, Map<number, number>>();
  private readonly kept = new Map<string, Kept>();

  /** @returns the new count of all processes together */
  add(owner: number, name: string, change: 1 | -1): number {
    const owners = this.counts.get(name) ?? new Map<number, number>();
    const own = (owners.get(owner) ?? 0) + change;
    if (own > 0) owners.set(owner, own);
    else owners.delete(owner);
    if (owners.size > 0) this.counts.set(name, owners);
    else this.counts.delete(name);
    return [...owners.values()].reduce((sum, count) => sum + count, 0);
  }

  /** Keeps a value for `take`. */
  keep(name: string, value: unknown, until: number): void {
    this.kept.set(name, { value, until });
  }

  /** @returns the value to the first caller before it expires, undefined to all others. @param now Unix milliseconds */
  take(name: string, now: number): unknown {
    const found = this.kept.get(name);
    this.kept.delete(name);
    return found && found.until > now ? found.value : undefined;
  }

  /** Drops the counts of a process that has ended. */
  forget(owner: number): void {
    for (const [name, owners] of this.counts) {
      owners.delete(owner);
      if (owners.size === 0) this.counts.delete(name);
    }
  }
}
