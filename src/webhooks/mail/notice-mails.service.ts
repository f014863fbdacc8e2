import { Injectable } from '@nestjs/common';
import { Between, EntityManager, In, type FindOptionsWhere } from 'typeorm';
import { newUuid } from '#contracts';
import { AiBudgetNoticeEntity } from '../../ai/entities/ai-budget-notice.entity';
import { ApiKeyEntity } from '../../api-keys/entities/api-key.entity';
import { HandoverEntity } from '../../conversations/entities/handover.entity';
import { Clock } from '../../core/clock/clock.service';
import { Configuration } from '../../core/config/configuration';
import { Timers } from '../../core/work/timers/timers.service';
import { MailEntity } from '../entities/mail.entity';
import { budgetNoticeMail } from './budget-notice.mail';
import { handoverNoticeMail } from './handover-notice.mail';
import { MailOutbox } from './mail-outbox.service';

const INTERVAL_MS = 10_000;
/** After a mail about waiting conversations, the next one gathers all of this time, in milliseconds. */
const GATHER_MS = 600_000;
/** The most notices of budgets that are mailed at once, and conversations that a mail names. */
const BATCH = 100;

/**
 * Mails the owner each notice of an AI budget, and the requests for a person that no person answered in time. A notice's mail has
 * the id of its row, so each is made once. Requests are gathered; those of the test environment are not mailed.
 */
@Injectable()
export class NoticeMails {
  constructor(
    private readonly entities: EntityManager,
    private readonly outbox: MailOutbox,
    private readonly clock: Clock,
    private readonly configuration: Configuration,
    timers: Timers,
  ) {
    timers.every('The mailing of notices', INTERVAL_MS, () => this.mailAll());
  }

  private async mailAll(): Promise<void> {
    await this.mailBudgets();
    await this.mailWaiting();
  }

  private async mailBudgets(): Promise<void> {
    const notices = await this.withoutMail(AiBudgetNoticeEntity, 'id').orderBy('subject.createdAt').getMany();
    if (notices.length === 0) return;
    const owners = notices.flatMap(({ owner, environment }) => (owner === environment ? [] : [owner]));
    const keys = await this.entities.find(ApiKeyEntity, {
      where: { id: In(owners) },
      select: { id: true, name: true },
    });
    const names = new Map(keys.map(({ id, name }) => [id, name]));
    await this.outbox.add(
      notices.map((notice) => ({
        id: notice.id,
        environment: notice.environment,
        ...budgetNoticeMail(notice, names.get(notice.owner)),
      })),
    );
  }

  /** Requests that a mail names, or counts, are not mailed again: the next one begins where it ended. */
  private async mailWaiting(): Promise<void> {
    const environment = 'live';
    const now = this.clock.now();
    const id = newUuid(now);
    const isMade = await this.entities.transaction(async (transaction) => {
      const kind = 'waiting';
      const last = await transaction.findOne(MailEntity, {
        where: { environment, kind },
        order: { createdAt: 'DESC' },
      });
      if (last && last.createdAt.getTime() > now - GATHER_MS) return false;
      // The last mail told of those that were due when it was written.
      const due: FindOptionsWhere<HandoverEntity> = {
        environment,
        notifyAt: Between(new Date(last ? last.createdAt.getTime() + 1 : 0), new Date(now)),
      };
      const [waiting, count] = await transaction.findAndCount(HandoverEntity, {
        where: due,
        relations: { conversation: true },
        order: { notifyAt: 'ASC' },
        take: BATCH,
      });
      if (waiting.length === 0) return false;
      const mail = handoverNoticeMail(waiting, count - waiting.length, this.configuration.http.publicUrl);
      await transaction.insert(MailEntity, {
        id,
        environment,
        kind,
        ...mail,
        createdAt: new Date(now),
        nextAt: () => 'now()',
      });
      return true;
    });
    if (isMade) this.outbox.wake(environment, id);
  }

  private withoutMail<Entity extends object>(entity: new () => Entity, id: keyof Entity & string) {
    return this.entities
      .createQueryBuilder(entity, 'subject')
      .leftJoin(MailEntity, 'mail', `mail.id = subject.${id}`)
      .where('mail.id IS NULL')
      .take(BATCH);
  }
}
