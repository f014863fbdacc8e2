/** More conversations than can have an answer in progress. */
const KEPT = 500;

/** Conversation id → cost of its newest answer in US dollars. Its event arrives before the event of the message. */
const costs = new Map<string, number>();

export function keepCost(conversationId: string, costUsd: number): void {
  costs.delete(conversationId);
  costs.set(conversationId, costUsd);
  if (costs.size > KEPT) costs.delete(costs.keys().next().value!);
}

/** @returns null if the page has not seen the answer's event */
export function costOf(conversationId: string): number | null {
  return costs.get(conversationId) ?? null;
}
