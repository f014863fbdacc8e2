import { toPublicId, type EventData, type EventType } from '#contracts';
import type { NotSentReason } from './dto/timeline-steps.dto';
import type { TimelineStepDto } from './dto/timeline.dto';
import type { ChainEvent, TimelineRows } from './timeline.rows';

/** Fields that events of an earlier version lack. */
type Added = 'context' | 'tools' | 'stop_reason' | 'tool_calls' | 'not_sent';
type StoredData<T extends EventType> = Omit<EventData<T>, Added> &
  Partial<Pick<EventData<T>, Added & keyof EventData<T>>>;

/** The steps of AI calls, from their events, and the wait before the first of them. */
export function callSteps(rows: TimelineRows): TimelineStepDto[] {
  const steps = rows.events.flatMap(
    (event) => READERS[event.type]?.(event, event.created_at.toISOString(), toPublicId('event', event.id)) ?? [],
  );
  return [...waited(rows), ...steps];
}

function dataOf<T extends EventType>({ body }: ChainEvent): StoredData<T> {
  return (JSON.parse(body) as { data: StoredData<T> }).data;
}

/** Functions that make the steps of an event about an AI call, by type of event. */
const READERS: { readonly [type in EventType]?: (event: ChainEvent, at: string, id: string) => TimelineStepDto[] } = {
  'ai.request': (event, at, id) => [asked(at, id, dataOf<'ai.request'>(event))],
  'ai.response': (event, at, id) => answered(at, id, dataOf<'ai.response'>(event)),
  'ai.error': (event, at, id) => [failed(at, id, dataOf<'ai.error'>(event))],
  'ai.rate_limited': (event, at, id) => limited(at, id, dataOf<'ai.rate_limited'>(event)),
};

function asked(at: string, event_id: string, data: StoredData<'ai.request'>): TimelineStepDto {
  const { request_id, model, context_messages, context = null, tools = [] } = data;
  const messages = context_messages === 1 ? '1 message' : `${context_messages} messages`;
  return {
    at,
    step: 'asked',
    title: `Asked ${model}, with ${messages}`,
    data: { event_id, request_id, model, context_messages, context, tools },
  };
}

function answered(at: string, event_id: string, data: StoredData<'ai.response'>): TimelineStepDto[] {
  const { request_id, model, tokens, latency_ms, cost_usd, stop_reason = null, tool_calls = [], not_sent } = data;
  const answer: TimelineStepDto = {
    at,
    step: 'answered',
    title: `Answered by ${model} after ${latency_ms} ms`,
    data: { event_id, request_id, model, tokens, latency_ms, cost_usd, stop_reason, tool_calls, error: null },
  };
  return not_sent ? [answer, notSent(at, not_sent)] : [answer];
}

const NO_ANSWER = {
  tokens: null,
  latency_ms: null,
  cost_usd: null,
  stop_reason: null,
  tool_calls: [] as string[],
};

function failed(at: string, event_id: string, data: StoredData<'ai.error'>): TimelineStepDto {
  const { request_id, model, error } = data;
  if (error.type === 'taken_over') return notSent(at, 'taken_over');
  const title = `No answer: ${error.message}`;
  return { at, step: 'answered', title, data: { event_id, request_id, model, ...NO_ANSWER, error } };
}

/** A limit of the provider is a failed attempt, and `replies_per_minute` is a wait; after any other limit no answer is sent. */
function limited(at: string, event_id: string, data: StoredData<'ai.rate_limited'>): TimelineStepDto[] {
  const { scope, model } = data;
  if (scope === 'replies_per_minute') return [];
  if (scope !== 'provider') return [notSent(at, scope)];
  const error = { type: 'rate_limited', message: 'The AI provider limits the rate of requests.', retryable: true };
  const title = `No answer: ${error.message}`;
  return [{ at, step: 'answered', title, data: { event_id, request_id: null, model, ...NO_ANSWER, error } }];
}

const REASONS: Readonly<Record<NotSentReason, string>> = {
  taken_over: 'a person took over the conversation',
  failed: 'the platform did not accept it',
  messages_per_minute: 'the conversation reached its limit of answers per minute',
  budget: 'the AI budget is spent',
  person: 'the daily AI budget of this person is spent',
  billable: 'the daily limit of billable messages is reached',
};

function notSent(at: string, reason: NotSentReason): TimelineStepDto {
  return {
    at,
    step: 'not_sent',
    title: `No answer was sent: ${REASONS[reason]}`,
    data: { message_id: null, reason, error: null, parts: [] },
  };
}

/** The time from the newest message to answer until the model was asked; without a call, until the limit stopped it. */
function waited({ messages, events }: TimelineRows): TimelineStepDto[] {
  const call = events.find(({ type }) => type === 'ai.request');
  const limit = events.find(
    (event) => event.type === 'ai.rate_limited' && dataOf<'ai.rate_limited'>(event).scope === 'replies_per_minute',
  );
  const cause = call ?? limit;
  const message = messages.find(({ id }) => id === cause?.message_id);
  if (!cause || !message) return [];
  const ms = Math.max(0, cause.created_at.getTime() - message.created_at.getTime());
  const reason = limit ? ('replies_per_minute' as const) : ('reply' as const);
  const forWhat = limit ? 'its turn: the limit of replies per minute was reached' : 'the assistant';
  return [
    {
      at: message.created_at.toISOString(),
      step: 'waited',
      title: `Waited ${ms} ms for ${forWhat}`,
      data: { reason, ms },
    },
  ];
}
