import { closeSync, fstatSync, openSync, readFileSync, renameSync, statSync } from 'node:fs';

const ROTATED_AT_BYTES = 10 * 1024 * 1024;

/** The file that the server's messages go to. At a start, a file of over 10 MB is renamed to `….1`, which replaces the previous one. */
export class ServerLog {
  readonly descriptor: number;
  private readonly startedAt: number;

  constructor(private readonly file: string) {
    const size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
    if (size > ROTATED_AT_BYTES) renameSync(file, `${file}.1`);
    this.descriptor = openSync(file, 'a', 0o600);
    this.startedAt = fstatSync(this.descriptor).size;
  }

  /** The text written since this object was created. */
  text(): string {
    return readFileSync(this.file).subarray(this.startedAt).toString();
  }

  /** The last complaints in this text, on one line. */
  complaints(): string {
    const lines = this.text().split('\n');
    const complaints = lines.filter((line) => /\b(?:FATAL|PANIC|ERROR|DETAIL|HINT):/.test(line));
    const last = (complaints.length > 0 ? complaints : lines.filter(Boolean)).slice(-3);
    return last
      .map((line) => line.replace(/^.*?\b(?=(?:FATAL|PANIC|ERROR|DETAIL|HINT):)/, '').replace(/\s+/g, ' '))
      .join(' · ');
  }

  close(): void {
    closeSync(this.descriptor);
  }
}
