import { type DoctorCheck, type DoctorFinding, finding, healthy } from '#contracts';
import type { Configuration } from '../../core/config/configuration';
import type { DoctorDatabase } from '../../core/doctor/doctor-database';
import { USED_FOLDERS } from '../media-folder.rows';

/** Checks whether all running instances keep the files of messages in the same place. */
export class MediaCheck implements DoctorCheck {
  readonly name = 'media';
  readonly variables = ['MEDIA_DIR', 'MEDIA_S3_URL', 'DATABASE_URL'];

  constructor(
    private readonly configuration: Configuration,
    private readonly database: DoctorDatabase,
  ) {}

  async check(): Promise<DoctorFinding[]> {
    const { s3Url, directory } = this.configuration.media;
    if (s3Url !== undefined) return [healthy(this.name, 'files are in MEDIA_S3_URL')];
    const [row] = await this.database.query<{ used: number }>(USED_FOLDERS);
    const used = row?.used ?? 0;
    if (used > 1) return [finding('media.not-shared', `${used} folders are in use`)];
    return [healthy(this.name, `files are in ${directory}`)];
  }
}
