/** More conversations than have an answer under way. */
const KEPT = 500;

/** US dollars of the newest answer in each conversation, which the stream brings before its message. */
const costs = new Map<string, number>();

export function keepCost(conversationId: string, costUsd: number): void {
  costs.delete(conversationId);
  costs.set(conversationId, costUsd);
  if (costs.size > KEPT) costs.delete(costs.keys().next().value!);
}

/** @returns null where the page has not seen the answer's event */
export function costOf(conversationId: string): number | null {
  return costs.get(conversationId) ?? null;
}
