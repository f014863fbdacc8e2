import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { Work } from '../../core/work/work.service';
import { MailEntity } from '../entities/mail.entity';
import { OWNER_MAIL } from './owner-mail';

/** Queues mails to the owner. */
@Injectable()
export class MailOutbox {
  constructor(
    @InjectRepository(MailEntity) private readonly rows: Repository<MailEntity>,
    private readonly work: Work,
  ) {}

  /** Skips a mail whose id is stored already, so that each is made once. */
  async add(mails: readonly Pick<MailEntity, 'id' | 'environment' | 'subject' | 'text'>[]): Promise<void> {
    if (mails.length === 0) return;
    const now = () => 'now()';
    const rows = mails.map((mail) => ({ ...mail, createdAt: now, nextAt: now }));
    await this.rows.createQueryBuilder().insert().values(rows).orIgnore().execute();
    for (const { id, environment } of mails) this.work.wake(OWNER_MAIL, environment, id);
  }
}
