import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { toPublicId, type Environment } from '#contracts';
import { Database } from '../../core/database/database.service';
import { Erasures } from '../../core/erasure/erasures.service';
import { Work } from '../../core/work/work.service';
import { MailEntity } from '../entities/mail.entity';
import { ERASE_NAME, ERASED_COLUMNS } from './mail-outbox.rows';
import { OWNER_MAIL } from './owner-mail';

/** Queues mails to the owner. */
@Injectable()
export class MailOutbox {
  constructor(
    @InjectRepository(MailEntity) private readonly rows: Repository<MailEntity>,
    private readonly work: Work,
    database: Database,
    erasures: Erasures,
  ) {
    erasures.register({
      erases: ERASED_COLUMNS,
      erase: async ({ id }) => {
        await database.query(ERASE_NAME, [toPublicId('conversation', id)]);
        return true;
      },
    });
  }

  /** Skips a mail whose id is stored already, so that each is made once. */
  async add(mails: readonly Pick<MailEntity, 'id' | 'environment' | 'subject' | 'text'>[]): Promise<void> {
    if (mails.length === 0) return;
    const now = () => 'now()';
    const rows = mails.map((mail) => ({ ...mail, createdAt: now, nextAt: now }));
    await this.rows.createQueryBuilder().insert().values(rows).orIgnore().execute();
    for (const { id, environment } of mails) this.wake(environment, id);
  }

  /** Call it after the commit of a mail. */
  wake(environment: Environment, id: string): void {
    this.work.wake(OWNER_MAIL, environment, id);
  }
}
