type Close = () => Promise<unknown>;

/**
 * What modules open while Nest puts the application together. When that fails there is no application to close: an idle
 * connection would stay, and keep the process, for ten seconds.
 */
export class StartConnections {
  private readonly closes: Close[] = [];

  /** @param close ends what was opened; called once, if the start fails before there is an application */
  add(close: Close): void {
    this.closes.push(close);
  }

  /** Never rejects: what failed first is told. */
  async close(): Promise<void> {
    await Promise.allSettled(this.closes.splice(0).map((close) => close()));
  }
}
