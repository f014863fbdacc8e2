/** The embedded database cannot run here; the message is one line that says why and what to do. */
export class EmbeddedPostgresError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'EmbeddedPostgresError';
  }
}

/** Another process works in this data directory. */
export class DataDirectoryInUseError extends EmbeddedPostgresError {
  constructor(readonly dataDir: string) {
    super(
      `The data directory ${dataDir} is in use by another running gateway. Stop that one, or give this one its own DATA_DIR: instances on one machine need one each.`,
    );
    this.name = 'DataDirectoryInUseError';
  }
}

/** The `code` of a system error (`ENOENT`, …), if it has one. */
export function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}
