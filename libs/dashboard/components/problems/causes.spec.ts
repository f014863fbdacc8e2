import type { Problem } from '#client';
import { causesOf, isSaidBy, severityOf } from './causes';

const problem = (kind: Problem['kind'], id: string, more: Partial<Problem> = {}) =>
  ({
    kind,
    id,
    severity: 'warning',
    first_at: '2026-01-31T10:00:00Z',
    subject: { id, type: 'component' },
    ...more,
  }) as Problem;

const refused = problem('ai_refused', 'refused', { severity: 'critical' });
const overloaded = problem('ai_error', 'overloaded');
const component = problem('component_unhealthy', 'ai_provider');
const late = problem('handover_waiting', 'late', { first_at: '2026-01-31T11:00:00Z' });
const early = problem('handover_waiting', 'early');
const database = problem('component_unhealthy', 'database');

describe(causesOf, () => {
  it.each<[string, Problem[], string[][]]>([
    ['nothing', [], []],
    [
      'the outage of the AI as one, what says most first',
      [component, overloaded, refused],
      [['refused', 'overloaded', 'ai_provider']],
    ],
    ['everybody who waits as one, the longest wait first', [late, early], [['early', 'late']]],
    [
      'other problems one by one, in their order',
      [database, late, overloaded],
      [['database'], ['late'], ['overloaded']],
    ],
  ])('groups %s', (_title, problems, expected) => {
    expect(causesOf(problems).map((cause) => cause.problems.map(({ id }) => id))).toEqual(expected);
  });

  it('is as severe as its worst problem', () => {
    expect(causesOf([component, refused]).map(({ problems }) => severityOf(problems))).toEqual(['critical']);
    expect(causesOf([component, late]).map(({ problems }) => severityOf(problems))).toEqual(['warning', 'warning']);
  });

  it('knows which parts the problems speak of', () => {
    expect([
      isSaidBy([overloaded], 'ai_provider'),
      isSaidBy([database], 'database'),
      isSaidBy([database], 'cache'),
    ]).toEqual([true, true, false]);
  });
});
