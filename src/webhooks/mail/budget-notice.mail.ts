import { toPublicId } from '#contracts';
import type { AiBudgetNoticeEntity } from '../../ai/entities/ai-budget-notice.entity';
import { usdOf } from '../../core/nanodollars';

/** Tells the owner that an AI budget is nearly or wholly spent. @param keyName if the budget is a key's */
export function budgetNoticeMail(
  notice: AiBudgetNoticeEntity,
  keyName: string | undefined,
): { subject: string; text: string } {
  const { environment, owner, period, startsOn, percent, ceiling } = notice;
  const whose =
    owner === environment
      ? `the ${environment} environment`
      : `the key ${keyName ?? ''} (${toPublicId('api_key', owner)})`;
  const span = period === 'day' ? `of ${startsOn}` : `of ${startsOn.slice(0, 7)}`;
  const setting =
    owner === environment
      ? `the setting ai.budget.${period === 'day' ? 'daily' : 'monthly'}_usd (PATCH /api/v1/admin/settings)`
      : `ai_budget of the key (PATCH /api/v1/admin/api-keys/${toPublicId('api_key', owner)})`;
  const meaning =
    percent === 100
      ? 'Further calls get RATE_LIMIT_EXCEEDED, and the assistant does not answer messages'
      : 'When the whole budget is spent, calls are refused, and the assistant does not answer messages';
  return {
    subject: `${percent} % of the AI budget of ${whose} is spent`,
    text: `${percent} % of the AI budget of ${whose} is spent: ${usdOf(Number(ceiling))} US dollars in the UTC ${period} ${span}.

${meaning}, until the ${period} is over or the budget is raised:
${setting}.

GET /api/v1/ai/status shows what is spent.
`,
  };
}
