import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { ENVIRONMENTS, type Environment } from '#contracts';
import { Clock } from '../core/clock/clock.service';
import { isFirstUnlocked } from '../core/database/first-unlocked';
import { SettingsService } from '../core/settings/settings.service';
import { PERIODIC_BATCH, type Timer, Timers } from '../core/work/timers/timers.service';
import { ConversationEntity } from './entities/conversation.entity';
import { DAY_MS } from '../core/clock/timeline';

const INTERVAL_MS = 3_600_000;

/** Archives conversations that were idle for the setting `conversations.archive_after_days`. */
@Injectable()
export class ConversationArchiver {
  private readonly job: Timer;

  constructor(
    @InjectRepository(ConversationEntity) private readonly conversations: Repository<ConversationEntity>,
    private readonly settings: SettingsService,
    private readonly clock: Clock,
    timers: Timers,
  ) {
    this.job = timers.every('Archiving of idle conversations', INTERVAL_MS, () => this.archiveBatch(), {
      scope: 'process',
    });
  }

  /** Archives the conversations that have been idle for long enough. */
  archiveIdle(): Promise<void> {
    return this.job.run();
  }

  private async archiveBatch(): Promise<boolean> {
    for (const environment of ENVIRONMENTS) if ((await this.archiveOf(environment)) === PERIODIC_BATCH) return true;
    return false;
  }

  /** A message that arrives meanwhile either locks the row first, or makes the archived conversation active again. */
  private async archiveOf(environment: Environment): Promise<number> {
    const { archive_after_days: days } = this.settings.of(environment).conversations;
    const since = new Date(this.clock.now() - days * DAY_MS);
    const idle = this.conversations
      .createQueryBuilder('idle')
      .where(`idle.environment = :environment AND idle.status = 'active'`, { environment })
      .andWhere('idle.lastMessageAt < :since AND (idle.activatedAt IS NULL OR idle.activatedAt < :since)', { since })
      .andWhere('idle.lastMessageSlot < :since')
      .orderBy('idle.lastMessageSlot');
    const { affected } = await this.conversations
      .createQueryBuilder()
      .update({ status: 'archived' })
      .where(isFirstUnlocked(idle, PERIODIC_BATCH))
      .setParameters(idle.getParameters())
      .execute();
    return affected ?? 0;
  }
}
