import { constants } from 'node:fs';
import { access, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type DoctorCheck, type DoctorFinding, finding, healthy } from '#contracts';
import type { Configuration } from '../../core/config/configuration';

const MIB = 1024 * 1024;
const FULL_BYTES = 128 * MIB;
const LOW_BYTES = 1024 * MIB;

/** Free bytes of a folder's file system, for users other than root. */
export type FreeSpace = (folder: string) => Promise<number>;

export async function freeSpace(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

/** Checks free space and write permission of the folders that the gateway writes to. */
export class DiskCheck implements DoctorCheck {
  readonly name = 'disk';
  readonly variables = ['DATA_DIR', 'BACKUP_DIR'];

  constructor(
    private readonly configuration: Pick<Configuration, 'dataDir' | 'backups'>,
    private readonly free: FreeSpace = freeSpace,
  ) {}

  async check(): Promise<DoctorFinding[]> {
    const folders = new Map([
      ['DATA_DIR', this.configuration.dataDir],
      ['BACKUP_DIR', this.configuration.backups.directory],
    ]);
    const found = await Promise.all([...folders].map(([variable, folder]) => this.folder(variable, folder)));
    const findings = found.flat();
    if (findings.length > 0) return findings;
    const left = await this.free(await existing(this.configuration.dataDir));
    return [healthy(this.name, `DATA_DIR and BACKUP_DIR are writable, ${inWords(left)} free`)];
  }

  private async folder(variable: string, folder: string): Promise<DoctorFinding[]> {
    const place = await existing(folder);
    try {
      await access(place, constants.W_OK | constants.X_OK);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      const what = place === folder ? folder : `${folder} cannot be made: ${place}`;
      return [finding('disk.not-writable', `${variable}: ${what} is not writable (${code})`)];
    }
    const left = await this.free(place);
    if (left >= LOW_BYTES) return [];
    return [
      finding(left < FULL_BYTES ? 'disk.full' : 'disk.low', `${variable}: ${inWords(left)} are free at ${place}`),
    ];
  }
}

/** The folder, or its nearest existing parent: the gateway creates missing folders at its start. */
async function existing(folder: string): Promise<string> {
  const isThere = await access(folder).then(
    () => true,
    (error: unknown) => (error as NodeJS.ErrnoException).code !== 'ENOENT',
  );
  return isThere || dirname(folder) === folder ? folder : existing(dirname(folder));
}

/** Bytes in words: `3.2 GiB`. */
export function inWords(bytes: number): string {
  if (bytes >= 1024 * MIB) return `${(bytes / (1024 * MIB)).toFixed(1)} GiB`;
  return `${Math.floor(bytes / MIB)} MiB`;
}
