import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { toPublicId } from '#contracts';
import { ApiError } from '../../core/http/lifecycle/api-error';
import { createdWithin, findPage } from '../../core/pagination/find-page';
import type { Page } from '../../core/pagination/list-page';
import { parseSort } from '../../core/pagination/sort';
import { SORTABLE, type BackupDto, type BackupListQuery } from './backup.dto';
import { BackupEntity } from './backup.entity';

/** The records of the backups. */
@Injectable()
export class BackupsService {
  constructor(@InjectRepository(BackupEntity) private readonly backups: Repository<BackupEntity>) {}

  list(query: BackupListQuery): Promise<Page<BackupDto>> {
    const sort = parseSort(query.sort ?? '-created_at', SORTABLE);
    return findPage(this.backups, { where: createdWithin(query), sort, query }, toRecord);
  }

  /** @throws ApiError RESOURCE_NOT_FOUND */
  async read(id: string): Promise<BackupDto> {
    const backup = await this.backups.findOneBy({ id });
    if (!backup) throw ApiError.notFound('backup', toPublicId('backup', id));
    return toRecord(backup);
  }
}

function toRecord(backup: BackupEntity): BackupDto {
  return {
    id: toPublicId('backup', backup.id),
    status: backup.status,
    trigger: backup.trigger,
    started_at: backup.createdAt.toISOString(),
    finished_at: backup.finishedAt?.toISOString() ?? null,
    size_bytes: backup.sizeBytes === null ? null : Number(backup.sizeBytes),
    sha256: backup.sha256,
    rows: backup.rows === null ? null : Number(backup.rows),
    files: backup.files === null ? null : Number(backup.files),
    error: backup.error,
    verified_at: backup.verifiedAt?.toISOString() ?? null,
    verify_error: backup.verifyError,
  };
}
