/** A backup cannot be made, read or restored. The message is a sentence that operators and events may show. */
export class BackupFault extends Error {}

const NETWORK = /^(?:ECONN(?:ABORTED|REFUSED|RESET)|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|EPIPE|ETIMEDOUT)$/;

/** The code of a network error; undefined for any other error. */
export function networkCodeOf(error: unknown): string | undefined {
  const { code } = error as NodeJS.ErrnoException;
  return code !== undefined && NETWORK.test(code) ? code : undefined;
}
