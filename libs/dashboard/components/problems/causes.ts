import type { Problem } from '#client';

/** Problems with one cause, which the page shows as one. */
export interface Cause {
  kind: 'people' | 'ai' | 'other';
  /** The first says what is wrong. */
  problems: [Problem, ...Problem[]];
}

const OF_PEOPLE = 'people';
const OF_AI = 'ai';

/**
 * All people who wait for a person are one cause, the longest wait first. The AI's outage is another, however the gateway
 * notices it. All other problems are causes of their own.
 */
export function causesOf(problems: readonly Problem[]): Cause[] {
  const causes = new Map<string, Problem[]>();
  for (const problem of problems) {
    const name = isWait(problem) ? OF_PEOPLE : isOfAi(problem) ? OF_AI : problem.id;
    causes.set(name, [...(causes.get(name) ?? []), problem]);
  }
  return [...causes].map(([name, own]) => ({
    kind: name === OF_PEOPLE || name === OF_AI ? name : 'other',
    // Each list has the problem that began it.
    problems: (name === OF_PEOPLE ? own.toSorted(byBeginning) : own.toSorted(byMeaning)) as Cause['problems'],
  }));
}

/** The worst severity of some problems. */
export function severityOf(problems: readonly Problem[]): Problem['severity'] {
  return problems.some(({ severity }) => severity === 'critical') ? 'critical' : 'warning';
}

/** Whether the problems already say that a part or a platform is not well. */
export function isSaidBy(problems: readonly Problem[], id: string): boolean {
  return problems.some((problem) => problem.subject.id === id || (id === 'ai_provider' && isOfAi(problem)));
}

function isWait({ kind }: Problem): boolean {
  return kind === 'handover_waiting';
}

function isOfAi({ kind, subject }: Problem): boolean {
  return (
    kind === 'ai_error' || kind === 'ai_refused' || (kind === 'component_unhealthy' && subject.id === 'ai_provider')
  );
}

function byBeginning(one: Problem, other: Problem): number {
  return one.first_at.localeCompare(other.first_at);
}

/** The kinds of the AI's problems by how much they say; those of one kind keep their order. */
const SAYING: readonly Problem['kind'][] = ['ai_refused', 'ai_error', 'component_unhealthy'];

function byMeaning(one: Problem, other: Problem): number {
  return SAYING.indexOf(one.kind) - SAYING.indexOf(other.kind);
}
