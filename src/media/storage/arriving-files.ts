import type { Environment } from '#contracts';

/** The file does not fit into `media.quota_bytes`, or into the part of it that a person may hold. */
export class QuotaError extends Error {
  constructor() {
    super('the media quota is used up');
  }
}

interface Usage {
  stored: number;
  arriving: number;
}

/** Files of this process that still arrive: their bytes count against the quota like stored ones. */
export class ArrivingFiles {
  private readonly usages = new Map<Environment, Usage>();

  /**
   * @param stored bytes of the environment's stored files; the newest count is that of all arriving files
   * @param room how many bytes the file may have because of other limits
   */
  begin(environment: Environment, stored: number, room: number): ArrivingFile {
    const usage = this.usages.get(environment) ?? { stored, arriving: 0 };
    this.usages.set(environment, usage);
    usage.stored = stored;
    return new ArrivingFile(usage, room);
  }
}

/** One of them. */
export class ArrivingFile {
  private bytes = 0;

  constructor(
    private readonly usage: Usage,
    private readonly room: number,
  ) {}

  /** @throws QuotaError */
  add(bytes: number, quota: number): void {
    this.bytes += bytes;
    this.usage.arriving += bytes;
    if (this.bytes > this.room) throw new QuotaError();
    const { stored, arriving } = this.usage;
    // The bytes may be stored already, and then count once: the digest tells it at the end.
    const isPossiblyStored = this.bytes === arriving && arriving <= stored;
    if (stored + arriving > quota && !isPossiblyStored) throw new QuotaError();
  }

  end(): void {
    this.usage.arriving -= this.bytes;
    this.bytes = 0;
  }
}
