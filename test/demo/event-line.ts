import type { EventData, EventPayload, EventType } from '#contracts';

/** A summary of an event's data, by type. Other events show only their type. */
const SUMMARIES: { readonly [T in EventType]?: (data: EventData<T>) => string } = {
  'integration.connected': ({ platform, details }) => `${platform} as @${details['bot_username']}`,
  'message.received': ({ sender, platform }) => `from @${sender.username} on ${platform}`,
  'message.sent': ({ ai_model, latency_ms }) => `${ai_model ? `by ${ai_model}` : 'by the API'}, in ${latency_ms} ms`,
  'message.delivered': ({ confirmation }) => `confirmed by the ${confirmation}`,
  'ai.request': ({ model, context_messages }) => `${model}, ${context_messages} message(s) of context`,
  'ai.tool_called': ({ tool, status, ms }) => `${tool}: ${status}, in ${ms} ms`,
  'ai.response': ({ tokens, cost_usd, latency_ms }) =>
    `${tokens.input} tokens in, ${tokens.output} out, $${cost_usd.toFixed(6)}, in ${latency_ms} ms`,
};

const TYPE_WIDTH = 21;

/** One line: the event's type and summary. */
export function eventLine<T extends EventType>({ type, data }: EventPayload<T>): string {
  const summary = SUMMARIES[type]?.(data) ?? '';
  return `${type.padEnd(TYPE_WIDTH)} ${summary}`.trimEnd();
}
