import { Injectable, type OnModuleInit } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { DeploymentEntity } from './deployment.entity';
import { RESTORED_AT } from './deployment.rows';

/**
 * When this database was restored from a backup. A restore needs an empty database, so the time never changes while a
 * gateway runs.
 */
@Injectable()
export class RestoreTime implements OnModuleInit {
  private at = -Infinity;

  constructor(@InjectRepository(DeploymentEntity) private readonly rows: Repository<DeploymentEntity>) {}

  async onModuleInit(): Promise<void> {
    const row = await this.rows.findOneBy({ name: RESTORED_AT });
    // Telegram and WhatsApp report whole seconds: messages of the second of the restore count as new.
    if (row) this.at = Math.floor(Date.parse(row.value) / 1_000) * 1_000;
  }

  /** Whether something of that time is from before the restore, and may already have been handled. */
  isFromBefore(time: Date): boolean {
    return time.getTime() < this.at;
  }
}
