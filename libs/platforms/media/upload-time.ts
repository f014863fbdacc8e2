import type { OutboundFile } from '../media.port';

/** The slowest upload that is waited for: 256 KiB a second. */
const BYTES_PER_MS = 262.144;

/** How much longer a request with these files may take, in milliseconds. */
export function uploadMs(files: readonly Pick<OutboundFile, 'sizeBytes'>[] = []): number {
  return Math.ceil(files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0) / BYTES_PER_MS);
}
