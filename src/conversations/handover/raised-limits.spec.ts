import { defaultSettings } from '../../core/settings/settings';
import { raisedLimits } from './raised-limits';

describe(raisedLimits.name, () => {
  const before = defaultSettings({ model: 'm', ownerEmail: null });
  const budget = before.ai.budget;

  it.each([
    [{ ai: { ...before.ai, budget: { ...budget, daily_usd: 51 } } }, ['budget']],
    [{ ai: { ...before.ai, budget: { ...budget, daily_usd: null } } }, ['budget']],
    [{ ai: { ...before.ai, budget: { daily_usd: 40, monthly_usd: 100 } } }, []],
    [{ ai: { ...before.ai, daily_usd_per_person: 3 } }, ['person']],
    [{ rate_limits: { ...before.rate_limits, messages_per_minute: 61 } }, ['messages_per_minute']],
    [{ rate_limits: { ...before.rate_limits, messages_per_minute: 59, replies_per_minute: 900 } }, []],
    [{}, []],
  ])('a change to %j raises %j', (change, expected) => {
    expect(raisedLimits(before, { ...before, ...change })).toEqual(expected);
  });

  it('lifts the limit of billable messages', () => {
    const limited = { ...before, rate_limits: { ...before.rate_limits, billable_messages_per_day: 5 } };
    expect(raisedLimits(limited, before)).toEqual(['billable']);
    expect(raisedLimits(before, limited)).toEqual([]);
  });
});
