import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import type {
  ApiKeyUsageParams,
  AuditLogListParams,
  ConversationListParams,
  DeliveryListParams,
  List,
  Message,
  MessageListParams,
  MessagingGateway,
  StatisticsGetParams,
  Template,
  ToolCallListParams,
} from '#client';
import { nameOf } from '../components/people/person-name';
import { aiCosts } from './ai-costs';
import { conversationMessages } from './conversation-messages';
import { participantsOf } from './participants';

/** Page size of most lists. */
const PER_PAGE = 100;
/** Page size of lists that show only the newest items. */
const FEW = 25;
const FAILURES_SHOWN = 5;
const UNANSWERED_SHOWN = 5;
const FOUND_SHOWN = 10;
const FAILURES_AMONG = 100;
/** Polling interval of the problems, in milliseconds: no event reports that a conversation waits too long for a person. */
const PROBLEMS_MS = 60_000;
/** Number of keys whose costs of today are compared. */
const WATCHED_KEYS = 10;
/** Number of webhooks whose deliveries the playground shows. */
const WATCHED_WEBHOOKS = 3;

/** A list that reads further pages as a person scrolls. */
function pages<T>(
  queryKey: readonly unknown[],
  read: (page: number, signal: AbortSignal) => PromiseLike<Pick<Awaited<List<T>>, 'data' | 'pagination'>>,
) {
  return infiniteQueryOptions({
    queryKey,
    initialPageParam: 1,
    // To compare every item with its previous version costs more than it saves: 10,000 items at each further page.
    structuralSharing: false,
    queryFn: async ({ pageParam, signal }) => {
      const { data, pagination } = await read(pageParam, signal);
      return { data, pagination };
    },
    getNextPageParam: ({ pagination: { page, total_pages } }) => (page < total_pages ? page + 1 : undefined),
  });
}

/** Messages with all fields, by `expand=details`. */
function messagesInDetail(gateway: MessagingGateway, query: MessageListParams, signal: AbortSignal): List<Message> {
  return gateway.messages.list({ expand: 'details', ...query }, { signal }) as List<Message>;
}

/** The page's queries. Live events update them by these keys. */
export const queries = {
  status: (gateway: MessagingGateway) =>
    queryOptions({ queryKey: ['status'], queryFn: ({ signal }) => gateway.status.get({}, { signal }) }),

  /** An item for each account, and one for each platform without accounts. */
  integrations: (gateway: MessagingGateway) =>
    queryOptions({ queryKey: ['integrations'], queryFn: ({ signal }) => gateway.integrations.list({ signal }) }),

  aiStatus: (gateway: MessagingGateway) =>
    queryOptions({ queryKey: ['ai-status'], queryFn: ({ signal }) => gateway.ai.getStatus({ signal }) }),

  statistics: (gateway: MessagingGateway, query: StatisticsGetParams) =>
    queryOptions({
      queryKey: ['statistics', query],
      queryFn: ({ signal }) => gateway.statistics.get({ ...query, expand: 'usage' }, { signal }),
    }),

  /** Problems that need a person. */
  problems: (gateway: MessagingGateway) =>
    queryOptions({
      queryKey: ['problems'],
      queryFn: ({ signal }) => gateway.problems.list({}, { signal }),
      refetchInterval: PROBLEMS_MS,
    }),

  /** The people of conversations or messages, each once. */
  people: (gateway: MessagingGateway, ids: readonly string[]) =>
    queryOptions({
      queryKey: ['people', ids],
      queryFn: async ({ signal }) => {
        const conversationOf = async (id: string) =>
          id.startsWith('msg_') ? (await gateway.messages.get(id, { signal })).conversation_id : id;
        const participants = await participantsOf(gateway, await Promise.all(ids.map(conversationOf)), signal);
        return [...participants].map(([conversationId, participant]) => ({
          conversationId,
          name: nameOf(participant),
        }));
      },
    }),

  /** The newest failed messages. */
  failures: (gateway: MessagingGateway) =>
    queryOptions({
      queryKey: ['failures'],
      queryFn: async ({ signal }) => {
        const query: MessageListParams = { status: 'failed', per_page: FAILURES_SHOWN };
        const { data, pagination } = await messagesInDetail(gateway, query, signal);
        return { data, total: pagination.total };
      },
    }),

  message: (gateway: MessagingGateway, id: string) =>
    queryOptions({ queryKey: ['message', id], queryFn: ({ signal }) => gateway.messages.get(id, { signal }) }),

  timeline: (gateway: MessagingGateway, id: string) =>
    queryOptions({ queryKey: ['timeline', id], queryFn: ({ signal }) => gateway.messages.getTimeline(id, { signal }) }),

  event: (gateway: MessagingGateway, id: string) =>
    queryOptions({ queryKey: ['event', id], queryFn: ({ signal }) => gateway.events.get(id, { signal }) }),

  conversations: (gateway: MessagingGateway, query: ConversationListParams) =>
    pages(['conversations', query], (page, signal) =>
      gateway.conversations.list({ ...query, page, per_page: PER_PAGE }, { signal }),
    ),

  /** The conversations of the newest failed messages, each with its failed message as the last message. */
  failedConversations: (gateway: MessagingGateway, platform: MessageListParams['platform']) =>
    queryOptions({
      queryKey: ['failed-conversations', platform],
      queryFn: async ({ signal }) => {
        const query: MessageListParams = { status: 'failed', platform, per_page: FAILURES_AMONG };
        const { data } = await messagesInDetail(gateway, query, signal);
        const newest = new Map(data.toReversed().map((message) => [message.conversation_id, message]));
        const messages = [...newest.values()].toReversed().slice(0, FEW);
        const conversations = messages.map(async ({ conversation_id, created_at, ...last_message }) => {
          const conversation = await gateway.conversations.get(conversation_id, {}, { signal });
          return { ...conversation, last_message, last_message_at: created_at };
        });
        return Promise.all(conversations);
      },
    }),

  /** How many conversations wait for a person. */
  waiting: (gateway: MessagingGateway) =>
    queryOptions({
      queryKey: ['waiting'],
      queryFn: async ({ signal }) => {
        const { pagination } = await gateway.conversations.list({ handling: 'requested', per_page: 1 }, { signal });
        return pagination.total;
      },
    }),

  /** The newest conversations that the assistant failed to answer, and how many there are. */
  unanswered: (gateway: MessagingGateway) =>
    queryOptions({
      queryKey: ['unanswered'],
      queryFn: async ({ signal }) => {
        const query: ConversationListParams = { unanswered: true, per_page: UNANSWERED_SHOWN };
        const { data, pagination } = await gateway.conversations.list(query, { signal });
        return { data, total: pagination.total };
      },
      refetchInterval: PROBLEMS_MS,
    }),

  /** The newest conversations that people have. */
  withPeople: (gateway: MessagingGateway) =>
    queryOptions({
      queryKey: ['with-people'],
      queryFn: async ({ signal }) =>
        (await gateway.conversations.list({ handling: 'human', per_page: PER_PAGE }, { signal })).data,
    }),

  /** The newest handovers of a conversation. */
  handovers: (gateway: MessagingGateway, id: string) =>
    queryOptions({
      queryKey: ['handovers', id],
      queryFn: async ({ signal }) =>
        (await gateway.conversations.listHandovers(id, { per_page: PER_PAGE }, { signal })).data,
    }),

  /** The newest messages with the words of a text, with their conversations. */
  found: (gateway: MessagingGateway, q: string) =>
    queryOptions({
      queryKey: ['found', q],
      queryFn: async ({ signal }) => {
        const { data, pagination } = await gateway.messages.list({ q, per_page: FOUND_SHOWN }, { signal });
        const ids = data.map(({ conversation_id }) => conversation_id);
        const participants = await participantsOf(gateway, ids, signal);
        const messages = data.map((message) => ({
          ...message,
          participant: participants.get(message.conversation_id)!,
        }));
        return { messages, total: pagination.total };
      },
    }),

  conversation: (gateway: MessagingGateway, id: string) =>
    queryOptions({
      queryKey: ['conversation', id],
      queryFn: ({ signal }) => gateway.conversations.get(id, { expand: 'context' }, { signal }),
    }),

  messages: (gateway: MessagingGateway, conversationId: string) =>
    pages(['messages', conversationId], (page, signal) =>
      conversationMessages(gateway, { conversation_id: conversationId, page, per_page: PER_PAGE }, signal),
    ),

  /** Only approved templates: WhatsApp accepts no others. */
  templates: (gateway: MessagingGateway) =>
    queryOptions({
      queryKey: ['templates'],
      queryFn: async ({ signal }) => {
        const templates: Template[] = [];
        for await (const template of gateway.templates.list({ per_page: PER_PAGE }, { signal }))
          if (template.status === 'APPROVED') templates.push(template);
        return templates;
      },
    }),

  apiKeys: (gateway: MessagingGateway) =>
    pages(['api-keys'], (page, signal) => gateway.apiKeys.list({ page, per_page: PER_PAGE }, { signal })),

  apiKey: (gateway: MessagingGateway, id: string) =>
    queryOptions({ queryKey: ['api-key', id], queryFn: ({ signal }) => gateway.apiKeys.get(id, { signal }) }),

  apiKeyUsage: (gateway: MessagingGateway, id: string, period: NonNullable<ApiKeyUsageParams['period']>) =>
    queryOptions({
      queryKey: ['api-key-usage', id, period],
      queryFn: ({ signal }) => gateway.apiKeys.getUsage(id, { period }, { signal }),
    }),

  /** AI costs of today (UTC) of the keys that were used last. */
  costsToday: (gateway: MessagingGateway) =>
    queryOptions({
      queryKey: ['costs-today'],
      queryFn: async ({ signal }) => {
        const { data } = await gateway.apiKeys.list({ status: 'active', per_page: PER_PAGE }, { signal });
        const newest = data
          .filter(({ last_used_at }) => last_used_at !== null)
          .toSorted((one, other) => other.last_used_at!.localeCompare(one.last_used_at!))
          .slice(0, WATCHED_KEYS);
        const usages = newest.map(async ({ id, name }) => {
          const { by_day } = await gateway.apiKeys.getUsage(id, { period: '7d' }, { signal });
          return { id, name, models: by_day.at(-1)?.by_model ?? [] };
        });
        return Promise.all(usages);
      },
    }),

  aiCosts,

  webhooks: (gateway: MessagingGateway) =>
    pages(['webhooks'], (page, signal) => gateway.webhooks.list({ page, per_page: PER_PAGE }, { signal })),

  webhook: (gateway: MessagingGateway, id: string) =>
    queryOptions({ queryKey: ['webhook', id], queryFn: ({ signal }) => gateway.webhooks.get(id, { signal }) }),

  deliveries: (gateway: MessagingGateway, id: string, query: DeliveryListParams) =>
    pages(['deliveries', id, query], (page, signal) =>
      gateway.webhooks.listDeliveries(id, { ...query, page, per_page: FEW }, { signal }),
    ),

  /** The numbers of successful and failed attempts. @param since a day, `YYYY-MM-DD` */
  deliveryRate: (gateway: MessagingGateway, id: string, since: string) =>
    queryOptions({
      queryKey: ['deliveries', id, 'rate', since],
      queryFn: async ({ signal }) => {
        const one = (query: DeliveryListParams) =>
          gateway.webhooks.listDeliveries(id, { ...query, per_page: 1 }, { signal });
        const [succeeded, failed] = await Promise.all([
          one({ status: 'success', start_date: since }),
          one({ status: 'failed', start_date: since }),
        ]);
        return { succeeded: succeeded.pagination.total, failed: failed.pagination.total };
      },
    }),

  /** The newest successful attempt; null: none. */
  lastSuccess: (gateway: MessagingGateway, id: string) =>
    queryOptions({
      queryKey: ['deliveries', id, 'last-success'],
      queryFn: ({ signal }) => lastSuccessOf(gateway, id, signal),
    }),

  newestAttempts: (gateway: MessagingGateway, id: string) =>
    queryOptions({
      queryKey: ['deliveries', id, 'newest'],
      queryFn: async ({ signal }) => {
        const { data } = await gateway.webhooks.listDeliveries(id, { per_page: PER_PAGE }, { signal });
        return data.map(({ response_time_ms: ms, timestamp: at, ...attempt }) => ({ ...attempt, ms, at }));
      },
    }),

  /** The events that failed since the last success; null if none succeeded. */
  missed: (gateway: MessagingGateway, id: string) =>
    queryOptions({
      queryKey: ['deliveries', id, 'missed'],
      queryFn: async ({ signal }) => {
        const last = await lastSuccessOf(gateway, id, signal);
        if (!last) return null;
        const since = last.timestamp;
        const query = { status: 'failed', start_date: since, per_page: PER_PAGE } as const;
        const { data, pagination } = await gateway.webhooks.listDeliveries(id, query, { signal });
        const events = new Set(data.map(({ event_id }) => event_id)).size;
        return { since, events, hasMore: pagination.total > data.length };
      },
    }),

  /** Deliveries of the first webhooks since a time. @param after part of the key: a new value reads again */
  deliveriesSince: (gateway: MessagingGateway, since: number, after: string | undefined) =>
    queryOptions({
      queryKey: ['deliveries-since', since, after],
      queryFn: async ({ signal }) => {
        const { data } = await gateway.webhooks.list({ status: 'active', per_page: WATCHED_WEBHOOKS }, { signal });
        const lists = data.map(async ({ id, url }) => {
          const query: DeliveryListParams = { start_date: new Date(since).toISOString(), per_page: FEW };
          const deliveries = await gateway.webhooks.listDeliveries(id, query, { signal });
          return deliveries.data.map((delivery) => ({ ...delivery, webhookId: id, url }));
        });
        return (await Promise.all(lists)).flat();
      },
    }),

  delivery: (gateway: MessagingGateway, webhookId: string, id: string) =>
    queryOptions({
      queryKey: ['delivery', id],
      queryFn: ({ signal }) => gateway.webhooks.getDelivery(webhookId, id, { signal }),
    }),

  /** A delivery by its id alone, without the webhook's id. */
  deliveryAlone: (gateway: MessagingGateway, id: string) =>
    queryOptions({ queryKey: ['delivery', id], queryFn: ({ signal }) => gateway.deliveries.get(id, { signal }) }),

  tools: (gateway: MessagingGateway) =>
    pages(['tools'], (page, signal) => gateway.tools.list({ page, per_page: PER_PAGE, sort: 'name' }, { signal })),

  tool: (gateway: MessagingGateway, id: string) =>
    queryOptions({ queryKey: ['tool', id], queryFn: ({ signal }) => gateway.tools.get(id, { signal }) }),

  toolCalls: (gateway: MessagingGateway, id: string, query: ToolCallListParams) =>
    pages(['tool-calls', id, query], (page, signal) =>
      gateway.tools.listCalls(id, { ...query, page, per_page: FEW }, { signal }),
    ),

  newestCalls: (gateway: MessagingGateway, id: string) =>
    queryOptions({
      queryKey: ['tool-calls', id, 'newest'],
      queryFn: async ({ signal }) => {
        const { data } = await gateway.tools.listCalls(id, { per_page: PER_PAGE }, { signal });
        return data.map(({ created_at: at, ...call }) => ({ ...call, at }));
      },
    }),

  eventTypes: (gateway: MessagingGateway) =>
    queryOptions({
      queryKey: ['event-types'],
      queryFn: ({ signal }) => gateway.eventTypes.list({ signal }),
      staleTime: Infinity,
    }),

  backups: (gateway: MessagingGateway) =>
    queryOptions({
      queryKey: ['backups'],
      queryFn: async ({ signal }) => {
        const { data, meta } = await gateway.backups.list({ per_page: FEW }, { signal });
        return { data, schedule: meta.schedule };
      },
    }),

  settings: (gateway: MessagingGateway) =>
    queryOptions({ queryKey: ['settings'], queryFn: ({ signal }) => gateway.settings.get({ signal }) }),

  aiProviders: (gateway: MessagingGateway) =>
    queryOptions({ queryKey: ['ai-providers'], queryFn: ({ signal }) => gateway.ai.listProviders({ signal }) }),

  /** The models of all configured providers. One that does not answer has none. */
  aiModels: (gateway: MessagingGateway) =>
    queryOptions({
      queryKey: ['ai-providers', 'models'],
      queryFn: async ({ signal }) => {
        const providers = await gateway.ai.listProviders({ signal });
        const lists = await Promise.allSettled(
          providers.filter(({ configured }) => configured).map(({ name }) => gateway.ai.listModels(name, { signal })),
        );
        return lists.flatMap((list) => (list.status === 'fulfilled' ? list.value.map(({ name }) => name) : []));
      },
    }),

  auditLog: (gateway: MessagingGateway, query: AuditLogListParams) =>
    pages(['audit-log', query], (page, signal) =>
      gateway.auditLog.list({ ...query, page, per_page: PER_PAGE }, { signal }),
    ),
};

async function lastSuccessOf(gateway: MessagingGateway, id: string, signal: AbortSignal) {
  const { data } = await gateway.webhooks.listDeliveries(id, { status: 'success', per_page: 1 }, { signal });
  return data[0] ?? null;
}
