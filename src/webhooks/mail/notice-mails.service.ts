import { Injectable } from '@nestjs/common';
import { EntityManager } from 'typeorm';
import { AiBudgetNoticeEntity } from '../../ai/entities/ai-budget-notice.entity';
import { HandoverEntity } from '../../conversations/entities/handover.entity';
import { Timers } from '../../core/work/timers/timers.service';
import { MailEntity } from '../entities/mail.entity';
import { budgetNoticeMail } from './budget-notice.mail';
import { handoverNoticeMail } from './handover-notice.mail';
import { MailOutbox } from './mail-outbox.service';

const INTERVAL_MS = 10_000;
/** The most mails of each sort that are made at once. */
const BATCH = 100;

/**
 * Mails the owner each notice of an AI budget, and each request for a person that no person answered in time. A mail has the id of
 * its row, so each is made once.
 */
@Injectable()
export class NoticeMails {
  constructor(
    private readonly entities: EntityManager,
    private readonly outbox: MailOutbox,
    timers: Timers,
  ) {
    timers.every('The mailing of notices', INTERVAL_MS, () => this.mailAll());
  }

  private async mailAll(): Promise<void> {
    const notices = await this.withoutMail(AiBudgetNoticeEntity, 'id').orderBy('subject.createdAt').getMany();
    await this.outbox.add(
      notices.map((notice) => ({ id: notice.id, environment: notice.environment, ...budgetNoticeMail(notice) })),
    );
    const handovers = await this.withoutMail(HandoverEntity, 'requestId')
      .andWhere('subject.notifyAt <= now()')
      .orderBy('subject.notifyAt')
      .getMany();
    await this.outbox.add(
      handovers.map((handover) => ({
        id: handover.requestId,
        environment: handover.environment,
        ...handoverNoticeMail(handover),
      })),
    );
  }

  private withoutMail<Entity extends object>(entity: new () => Entity, id: keyof Entity & string) {
    return this.entities
      .createQueryBuilder(entity, 'subject')
      .leftJoin(MailEntity, 'mail', `mail.id = subject.${id}`)
      .where('mail.id IS NULL')
      .take(BATCH);
  }
}
