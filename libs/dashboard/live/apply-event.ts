import type { QueryClient } from '@tanstack/react-query';
import type { AiStatus, Status } from '#client';
import { keepCost } from './answer-costs';
import { applyHandoverEvent } from './handover/apply-handover-event';
import { applyMessageEvent } from './apply-message-event';
import { applyToStatistics } from './apply-statistics';
import type { LiveEvent } from './live-event';
import { applyAttachmentEvent } from './messages/apply-attachment-event';
import { refreshSoon } from './refresh-soon';

/** Events that can add or end a problem. */
const MAY_CHANGE_PROBLEMS: ReadonlySet<string> = new Set<LiveEvent['type']>([
  'message.failed',
  'attachment.failed',
  'ai.error',
  'integration.connected',
  'integration.disconnected',
  'integration.error',
  'integration.notice',
  'system.health',
  'backup.completed',
  'backup.failed',
  'conversation.handover_requested',
  'conversation.handover_taken',
  'conversation.resumed',
]);
const CHANGES_TIMELINE = /^(message|ai)\./;

/** Updates the page's cached data with an event. */
export function applyEvent(client: QueryClient, event: LiveEvent): void {
  if (MAY_CHANGE_PROBLEMS.has(event.type)) refreshSoon(client, ['problems']);
  if (CHANGES_TIMELINE.test(event.type)) refreshSoon(client, ['timeline']);
  switch (event.type) {
    case 'message.received':
    case 'message.sent':
    case 'message.delivered':
    case 'message.failed':
    case 'message.updated':
    case 'message.read':
      return applyMessageEvent(client, event);
    case 'ai.response':
      if (event.data.conversation_id !== null) keepCost(event.data.conversation_id, event.data.cost_usd);
      applyToStatistics(client, event.created_at, {
        tokens: event.data.tokens.input + event.data.tokens.output,
        costUsd: event.data.cost_usd,
      });
      return addUsage(client, event);
    case 'system.health':
      return setHealth(client, event.data);
    case 'integration.connected':
    case 'integration.disconnected':
    case 'integration.error':
      // The event lacks parts of the status: which direction failed, and what to do.
      refreshSoon(client, ['integrations']);
      return refreshSoon(client, ['status']);
    case 'backup.completed':
    case 'backup.failed':
      return refreshSoon(client, ['backups']);
    case 'ai.tool_called':
      return refreshSoon(client, ['tool-calls']);
    case 'ai.error':
    case 'ai.rate_limited':
      // It may have become unanswered.
      for (const queryKey of [['conversation'], ['conversations'], ['unanswered'], ['ai-status']])
        refreshSoon(client, queryKey);
      return undefined;
    case 'conversation.handover_requested':
    case 'conversation.handover_taken':
    case 'conversation.resumed':
      return applyHandoverEvent(client, event);
    case 'conversation.erased':
      for (const queryKey of [
        ['conversations'],
        ['conversation', event.data.conversation_id],
        ['messages'],
        ['people'],
      ])
        refreshSoon(client, queryKey);
      return undefined;
    case 'attachment.stored':
    case 'attachment.failed':
      return applyAttachmentEvent(client, event);
    case 'integration.notice':
    case 'ai.request':
      return undefined;
  }
}

const utcDay = (time: number) => Math.floor(time / 86_400_000);

function addUsage(
  client: QueryClient,
  { created_at, data: { tokens, cost_usd } }: Extract<LiveEvent, { type: 'ai.response' }>,
): void {
  const readAt = client.getQueryState(['ai-status'])?.dataUpdatedAt ?? 0;
  // A new day has begun since: "today" starts anew.
  if (utcDay(readAt) !== utcDay(Date.parse(created_at))) return refreshSoon(client, ['ai-status']);
  const add = (usage: AiStatus['usage']['today']) => ({
    requests: usage.requests + 1,
    input_tokens: usage.input_tokens + tokens.input,
    output_tokens: usage.output_tokens + tokens.output,
    cost_usd: usage.cost_usd + cost_usd,
  });
  client.setQueryData<AiStatus>(
    ['ai-status'],
    (status) => status && { ...status, usage: { today: add(status.usage.today), month: add(status.usage.month) } },
    { updatedAt: readAt },
  );
}

function setHealth(
  client: QueryClient,
  { status, components }: Extract<LiveEvent, { type: 'system.health' }>['data'],
): void {
  client.setQueryData<Status>(
    ['status'],
    (before) => before && { ...before, status, components: { ...before.components, ...components } },
  );
}
