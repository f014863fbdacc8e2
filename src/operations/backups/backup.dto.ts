import { ApiProperty } from '@nestjs/swagger';
import { ApiId } from '../../core/openapi/api-id.decorator';
import { Example } from '../../core/openapi/example.decorator';
import { PageMetaDto } from '../../core/openapi/meta.dto';
import { Page } from '../../core/pagination/list-page';
import { DatedListQuery } from '../../core/pagination/list-query.dto';
import { BooleanField } from '../../core/validation/fields/word-fields.decorator';
import { SortBy } from '../../core/pagination/sort.decorator';

export const BACKUP_STATUSES = ['running', 'completed', 'failed'] as const;
export type BackupStatus = (typeof BACKUP_STATUSES)[number];

export const BACKUP_TRIGGERS = ['schedule', 'api', 'cli'] as const;
export type BackupTrigger = (typeof BACKUP_TRIGGERS)[number];

export class CreateBackupDto {
  @BooleanField({ optional: true, description: 'False excludes the files of messages; their records stay.' })
  media: boolean = true;
}

@Example({
  status: 'completed',
  started_at: '2026-01-31T03:00:00.041Z',
  finished_at: '2026-01-31T03:00:02.377Z',
  verified_at: '2026-01-31T03:00:03.190Z',
})
export class BackupDto {
  @ApiId('backup', 'Id of the backup.')
  id!: string;

  @ApiProperty({ enum: BACKUP_STATUSES, description: 'Status of the backup.', example: 'completed' })
  status!: BackupStatus;

  @ApiProperty({ enum: BACKUP_TRIGGERS, description: 'What started it.', example: 'schedule' })
  trigger!: BackupTrigger;

  @ApiProperty({ format: 'date-time', description: 'When the backup started.' })
  started_at!: string;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'When the backup ended; null while it runs.',
  })
  finished_at!: string | null;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'Size of the file in bytes; null until the backup is complete.',
    example: 48_213,
  })
  size_bytes!: number | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'SHA-256 of the file in lower-case hexadecimal; null until the backup is complete.',
    example: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  })
  sha256!: string | null;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'Number of rows; null until the backup is complete.',
    example: 1_204,
  })
  rows!: number | null;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'Number of message files; null if the backup excludes them or is not complete.',
    example: 37,
  })
  files!: number | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Why the backup failed; null if it did not.',
    example: null,
  })
  error!: string | null;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'When the backup was last verified against its checksums; null if never.',
  })
  verified_at!: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Why the last verification failed; null if it succeeded or never ran.',
    example: null,
  })
  verify_error!: string | null;
}

/** When and where backups are made. */
export class BackupScheduleDto {
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'When the next backup is made; null if BACKUP_SCHEDULE is not set.',
  })
  next_run_at!: string | null;

  @ApiProperty({
    description: 'Backup folder (BACKUP_DIR) of the instance that responds.',
    example: '/var/lib/messaging-gateway/backups',
  })
  folder!: string;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Object storage for copies of backups, without credentials; null if none is set.',
    example: 'https://s3.example.com/backups/gateway',
  })
  s3!: string | null;
}

/** `meta` of the list of backups. */
export class BackupPageMetaDto extends PageMetaDto {
  @ApiProperty({ description: 'When and where backups are made.' })
  schedule!: BackupScheduleDto;
}

/** The list of backups; `meta.schedule` says when and where they are made. */
export class BackupPage extends Page<BackupDto> {
  constructor(
    { items, pagination }: Page<BackupDto>,
    readonly schedule: BackupScheduleDto,
  ) {
    super(items, pagination, pagination.total);
  }

  override get meta() {
    return { ...super.meta, schedule: this.schedule };
  }
}

/** Field of `sort` → property of the entity. */
export const SORTABLE = { started_at: 'createdAt', created_at: 'createdAt', status: 'status', trigger: 'trigger' };

export class BackupListQuery extends DatedListQuery {
  @SortBy(SORTABLE)
  sort?: string;
}
