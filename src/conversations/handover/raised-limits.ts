import type { Settings } from '../../core/settings/settings';

/** The limits of the settings that refuse answers. `budget`: of the environment; `person`: of one person. */
export type AnswerLimit = 'budget' | 'person' | 'messages_per_minute' | 'billable';

const LIMITS: Readonly<Record<AnswerLimit, (settings: Settings) => (number | null)[]>> = {
  budget: ({ ai }) => [ai.budget.daily_usd, ai.budget.monthly_usd],
  person: ({ ai }) => [ai.daily_usd_per_person],
  messages_per_minute: ({ rate_limits }) => [rate_limits.messages_per_minute],
  billable: ({ rate_limits }) => [rate_limits.billable_messages_per_day],
};

/** The limits that a change of settings raises or lifts. */
export function raisedLimits(before: Settings, now: Settings): AnswerLimit[] {
  const limits = Object.keys(LIMITS) as AnswerLimit[];
  return limits.filter((limit) => {
    const former = LIMITS[limit](before);
    return LIMITS[limit](now).some((value, index) => (value ?? Infinity) > (former[index] ?? Infinity));
  });
}
