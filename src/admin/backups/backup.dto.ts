import { ApiProperty } from '@nestjs/swagger';
import { ApiId } from '../../core/openapi/api-id.decorator';
import { DatedListQuery } from '../../core/pagination/list-query.dto';
import { SortBy } from '../../core/pagination/sort.decorator';

export const BACKUP_STATUSES = ['running', 'completed', 'failed'] as const;
export type BackupStatus = (typeof BACKUP_STATUSES)[number];

export const BACKUP_TRIGGERS = ['schedule', 'api', 'cli'] as const;
export type BackupTrigger = (typeof BACKUP_TRIGGERS)[number];

export class BackupDto {
  @ApiId('backup', 'Backup id.')
  id!: string;

  @ApiProperty({ enum: BACKUP_STATUSES, description: 'How far it is.', example: 'completed' })
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
    description: 'Size of the file in bytes; null until it is whole.',
    example: 48_213,
  })
  size_bytes!: number | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'SHA-256 of the file in lower-case hexadecimal; null until it is whole.',
    example: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  })
  sha256!: string | null;

  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'How many rows it holds; null until it is whole.',
    example: 1_204,
  })
  rows!: number | null;

  @ApiProperty({ type: String, nullable: true, description: 'Why it failed; null: it did not.', example: null })
  error!: string | null;
}

/** Field of `sort` → property of the entity. */
export const SORTABLE = { started_at: 'createdAt', created_at: 'createdAt', status: 'status', trigger: 'trigger' };

export class BackupListQuery extends DatedListQuery {
  @SortBy(SORTABLE)
  sort?: string;
}
