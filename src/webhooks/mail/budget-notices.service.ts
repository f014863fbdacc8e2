import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { toPublicId } from '#contracts';
import { AiBudgetNoticeEntity } from '../../ai/entities/ai-budget-notice.entity';
import { CoalescingTask } from '../../core/work/coalescing-task';
import { DueWork } from '../../core/work/signals/due-work.service';
import { usdOf } from '../../core/nanodollars';
import { MailEntity } from '../entities/mail.entity';
import { OWNER_MAIL } from './owner-mail';

const BATCH = 100;

const HAS_NEW_NOTICE = `EXISTS (
  SELECT FROM ai_budget_notices notice WHERE NOT EXISTS (SELECT FROM mail_outbox WHERE mail_outbox.id = notice.id)
)`;

/** Makes a mail of each notice that an AI budget is nearly or wholly spent. The mail has the notice's id: it is made once. */
@Injectable()
export class BudgetNotices implements BeforeApplicationShutdown {
  private readonly logger = new Logger(BudgetNotices.name);
  private readonly mails = new CoalescingTask(
    () => this.mailAll(),
    (err) => this.logger.warn({ err }, 'Notices of AI budgets could not be mailed; they are tried again'),
  );

  constructor(
    @InjectRepository(MailEntity) private readonly outbox: Repository<MailEntity>,
    private readonly work: DueWork,
  ) {
    work.sweepFor(HAS_NEW_NOTICE, () => this.mails.request());
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.mails.stop();
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
    this.work.signal(OWNER_MAIL);
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
