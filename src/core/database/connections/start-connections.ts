type Close = () => Promise<unknown>;

/**
 * Connections that modules open while Nest creates the application. If that fails, there is no application to close, and an
 * idle connection would keep the process alive for ten seconds.
 */
export class StartConnections {
  private readonly closes: Close[] = [];
  private isClosed = false;

  /** @param close closes the connection; called once, and at once if the start has already failed */
  add(close: Close): void {
    if (this.isClosed) void close().catch(() => undefined);
    else this.closes.push(close);
  }

  /** Never rejects: the start reports the failure that it met first. */
  async close(): Promise<void> {
    this.isClosed = true;
    await Promise.allSettled(this.closes.map((close) => close()));
  }
}
