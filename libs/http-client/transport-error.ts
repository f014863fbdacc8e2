/**
 * The platform did not answer. `written` tells whether it may have received the request: false only if it surely
 * did not (the connection was never made) or surely did not act on it (something in between refused it).
 */
export class TransportError extends Error {
  constructor(
    message: string,
    readonly written: boolean,
  ) {
    super(message);
    this.name = TransportError.name;
  }
}

/** The connection was not made: DNS, TCP or TLS. */
export class ConnectFailure extends Error {
  constructor(readonly reason: string) {
    super(reason);
    this.name = ConnectFailure.name;
  }
}

/** The name of a network error in a log: its code. Its message may contain the URL, and so a token. */
export function reasonOf(error: unknown): string {
  if (error instanceof ConnectFailure) return error.reason;
  const { code, name } = error as { code?: unknown; name?: unknown };
  return typeof code === 'string' ? code : typeof name === 'string' ? name : 'unknown error';
}
