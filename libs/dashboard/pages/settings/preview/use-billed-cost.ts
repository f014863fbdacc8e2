import type { GeneratedAnswer } from '#client';
import { useRecentEvents } from '../../../live/use-live';

/** Cost of an answer in US dollars, from its live event; undefined until the event arrives. @param since time of the request */
export function useBilledCost(answer: GeneratedAnswer | undefined, since: number): number | undefined {
  const events = useRecentEvents(since === 0 ? undefined : since);
  for (const event of events) {
    if (event.type !== 'ai.response' || event.data.conversation_id !== null) continue;
    const { model, tokens, latency_ms, cost_usd } = event.data;
    const isThis =
      model === answer?.model &&
      latency_ms === answer.latency_ms &&
      tokens.input === answer.tokens.input &&
      tokens.output === answer.tokens.output;
    if (isThis) return cost_usd;
  }
  return undefined;
}
