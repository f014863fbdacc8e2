import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { toPublicId } from '#contracts';
import { AiBudgetNoticeEntity } from '../../ai/entities/ai-budget-notice.entity';
import { Timers } from '../../core/work/timers/timers.service';
import { Work } from '../../core/work/work.service';
import { usdOf } from '../../core/nanodollars';
import { MailEntity } from '../entities/mail.entity';
import { OWNER_MAIL } from './owner-mail';

const BATCH = 100;

const INTERVAL_MS = 2_000;

/** Makes a mail of each notice that an AI budget is nearly or wholly spent. The mail has the notice's id: it is made once. */
@Injectable()
export class BudgetNotices {
  constructor(
    @InjectRepository(MailEntity) private readonly outbox: Repository<MailEntity>,
    private readonly work: Work,
    timers: Timers,
  ) {
    timers.every('The mailing of AI budget notices', INTERVAL_MS, () => this.mailAll());
  }

  private async mailAll(): Promise<void> {
    const notices = await this.outbox.manager
      .createQueryBuilder(AiBudgetNoticeEntity, 'notice')
      .leftJoin(MailEntity, 'mail', 'mail.id = notice.id')
      .where('mail.id IS NULL')
      .orderBy('notice.createdAt')
      .take(BATCH)
      .getMany();
    if (notices.length === 0) return;
    const mails = notices.map((notice) => ({
      id: notice.id,
      environment: notice.environment,
      ...noticeMail(notice),
      createdAt: () => 'now()',
      nextAt: () => 'now()',
    }));
    await this.outbox.createQueryBuilder().insert().values(mails).orIgnore().execute();
    for (const { id, environment } of mails) this.work.wake(OWNER_MAIL, environment, id);
  }
}

function noticeMail(notice: AiBudgetNoticeEntity): { subject: string; text: string } {
  const { environment, owner, period, startsOn, percent, ceiling } = notice;
  const whose = owner === environment ? `the ${environment} environment` : `the key ${toPublicId('api_key', owner)}`;
  const span = period === 'day' ? `of ${startsOn}` : `of ${startsOn.slice(0, 7)}`;
  const setting =
    owner === environment
      ? `the setting ai.budget.${period === 'day' ? 'daily' : 'monthly'}_usd (PATCH /api/v1/admin/settings)`
      : `ai_budget of the key (PATCH /api/v1/admin/api-keys/${toPublicId('api_key', owner)})`;
  const meaning =
    percent === 100
      ? 'Further calls are refused with RATE_LIMIT_EXCEEDED, and people who write get no answers of the assistant'
      : 'When all of it is spent, calls are refused, and people who write get no answers of the assistant';
  return {
    subject: `${percent} % of the AI budget of ${whose} is spent`,
    text: `${percent} % of the AI budget of ${whose} is spent: ${usdOf(Number(ceiling))} US dollars in the UTC ${period} ${span}.

${meaning}, until the ${period} is over or the budget is raised:
${setting}.

GET /api/v1/ai/status shows what is spent.
`,
  };
}
