import { type DoctorCheck, type DoctorFinding, finding, healthy } from '#contracts';
import { describeError } from '../../core/doctor/describe-error';

const TIMEOUT_MS = 8_000;

/** Checks the storage of backups by listing one object. */
export class StorageCheck implements DoctorCheck {
  readonly name = 'backups';
  readonly variables = ['BACKUP_S3_URL'];

  constructor(
    private readonly url: string,
    private readonly timeoutMs = TIMEOUT_MS,
  ) {}

  async check(): Promise<DoctorFinding[]> {
    const { host } = new URL(this.url);
    const timeout = AbortSignal.timeout(this.timeoutMs);
    // Loaded only if needed: it takes 20 MB.
    const { ObjectStore } = await import('../backups/places/object-store.js');
    try {
      await new ObjectStore(new URL(this.url)).probe(timeout);
    } catch (error) {
      // A write-only key is enough for copies.
      if ((error as Error).name === 'AccessDenied')
        return [healthy(this.name, `${host} answers, and lists no objects`)];
      const reason = timeout.aborted
        ? `no answer within ${this.timeoutMs / 1_000} s`
        : withoutWrapper(describeError(error));
      return [finding('backups.storage', `${host}: ${reason}`)];
    }
    return [healthy(this.name, `the storage at ${host} answers`)];
  }
}

/** Removes the prefix that the SDK adds to errors of Node. */
function withoutWrapper(reason: string): string {
  return reason.replace('AWS SDK error wrapper for Error: ', '');
}
