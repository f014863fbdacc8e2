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
  @BooleanField({ optional: true, description: 'False leaves the files of messages out; their rows stay.' })
  media: boolean = true;
}

@Example({
  status: 'completed',
  started_at: '2026-01-31T03:00:00.041Z',
  finished_at: '2026-01-31T03:00:02.377Z',
  verified_at: '2026-01-31T03:00:03.190Z',
})
export class BackupDto {
  @ApiId('backup', 'Backup id.')
  id!: string;

  @ApiProperty({ enum: BACKUP_STATUSES, description: 'Status of the backup.', example: 'completed' })
  status!: BackupStatus;

  @ApiProperty({ enum: BACKUP_TRIGGERS, description: 'What started it.', example: 'schedule' })
  trigger!: BackupTrigger;

  @ApiProperty({ format: 'date-time', description: 'When it began.' })
  started_at!: string;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: 'When it ended; null: it runs.' })
  finished_at!: string | null;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'Size of the file in bytes; null until it is complete.',
    example: 48_213,
  })
  size_bytes!: number | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'SHA-256 of the file in lower-case hexadecimal; null until it is complete.',
    example: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  })
  sha256!: string | null;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'How many rows it holds; null until it is complete.',
    example: 1_204,
  })
  rows!: number | null;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'How many files of messages it holds; null if it leaves them out, or is not complete.',
    example: 37,
  })
  files!: number | null;

  @ApiProperty({ type: String, nullable: true, description: 'Why it failed; null: it did not.', example: null })
  error!: string | null;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'When its file was last read to its end and compared with its checksums; null: never.',
  })
  verified_at!: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Why it could not be restored when it was last verified; null: it could, or was never verified.',
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
    description: 'When the next backup is made; null: BACKUP_SCHEDULE is not set.',
  })
  next_run_at!: string | null;

  @ApiProperty({
    description: 'The folder (BACKUP_DIR) of the instance that answers.',
    example: '/var/lib/messaging-gateway/backups',
  })
  folder!: string;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'The object storage that gets a copy of each backup, without credentials; null: none.',
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
