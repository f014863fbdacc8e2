import type { Fault } from './source-rules';
import type { Write, Writes } from './table-writes';

/** The room that writes each table. Any other may read it. */
export const TABLE_OWNERS: Readonly<Record<string, string>> = {
  accounts: 'accounts',
  ai_budget_notices: 'ai',
  ai_conversation_usage: 'ai',
  ai_key_usage: 'ai',
  ai_providers: 'ai',
  ai_spending: 'ai',
  ai_usage: 'ai',
  albums: 'messages',
  api_key_usage: 'api-keys',
  api_keys: 'api-keys',
  attachments: 'media',
  audit_log: 'admin',
  backups: 'operations',
  billable_days: 'billing',
  conversation_terms: 'conversations',
  conversations: 'conversations',
  deployment: 'core/secrets',
  early_receipts: 'messages',
  erased_message_ids: 'messages',
  erasures: 'core/erasure',
  events: 'core/events',
  failed_messages: 'messages',
  handovers: 'conversations',
  health_states: 'status',
  idempotent_requests: 'core/idempotency',
  integration_health: 'integrations',
  integration_notices: 'integrations',
  integrations: 'integrations',
  mail_outbox: 'webhooks',
  marketing_preferences: 'conversations',
  media_files: 'media',
  media_folders: 'media',
  media_usage: 'media',
  message_attachments: 'media',
  message_parts: 'messages',
  message_ranks: 'messages',
  message_tasks: 'messages',
  message_templates: 'integrations',
  messages: 'messages',
  participant_aliases: 'conversations',
  past_handovers: 'conversations',
  platform_usage: 'billing',
  problem_dismissals: 'status',
  reply_tasks: 'ai',
  scheduled_sends: 'messages',
  settings: 'core/settings',
  timers: 'core/work',
  tool_calls: 'ai',
  tools: 'ai',
  webhook_deliveries: 'webhooks',
  webhook_dispatches: 'webhooks',
  webhooks: 'webhooks',
};

/** Tables into which one other room may insert: it adds due work in the statement that stores the cause. */
export const OWED: Readonly<Record<string, string>> = {
  webhook_dispatches: 'core/events',
  reply_tasks: 'messages',
};

/** Tables of which one other room updates columns of its own: a bill is written where its message part is. */
const SHARED: Readonly<Record<string, string>> = { message_parts: 'billing' };

/** They write tables that their callers name: due work, rows of a retention rule. The callers count as writers. */
const WRITES_FOR_OTHERS = ['src/core/work/due.rows.ts:', 'src/core/events/retention.service.ts:'];

export const TABLE_RULES: Readonly<Record<string, (found: Writes) => Fault[]>> = {
  'writes no table of another room': ({ writes }) =>
    foreign(writes)
      .filter(
        ({ verb, table, room }) =>
          !(verb === 'insert' && OWED[table] === room) && !(verb === 'update' && SHARED[table] === room),
      )
      .map(({ place, verb, table, room }) => `${place}: ${room}, ${verb} ${table}`),

  'names the table that it writes': ({ writes }) =>
    writes
      .filter(({ table, place }) => table === undefined && !WRITES_FOR_OTHERS.some((file) => place.startsWith(file)))
      .map(({ place }) => place),

  'gives each table an owner': ({ writes, entities }) => {
    const tables = new Set(entities.map(({ table }) => table));
    const unknown = writes.filter(({ table }) => table !== undefined && !tables.has(table));
    return [
      ...unknown.map(({ place, table }) => `${place}: ${table} has no entity`),
      ...[...tables].filter((table) => !TABLE_OWNERS[table]).map((table) => `${table} has no owner`),
    ];
  },

  'declares an entity in the room of its owner': ({ entities }) =>
    entities
      .filter(({ table, declared }) => TABLE_OWNERS[table] && roomOf(declared) !== TABLE_OWNERS[table])
      .map(({ declared }) => declared),

  'registers an entity once, in the room of its owner': ({ entities }) =>
    entities.flatMap(({ table, registered }) => {
      const isRight = registered.length === 1 && roomOf(registered[0]!) === TABLE_OWNERS[table];
      return isRight || !TABLE_OWNERS[table] ? [] : [`${table}: ${registered.join(', ') || 'nowhere'}`];
    }),

  'writes across rooms in no circle': ({ writes }) => {
    const arrows = foreign(writes).map(({ room, owner }) => ({ from: room, to: owner }));
    const reaches = (from: string, to: string, seen: readonly string[] = []): boolean =>
      arrows.some(
        (arrow) =>
          arrow.from === from &&
          !seen.includes(arrow.to) &&
          (arrow.to === to || reaches(arrow.to, to, [...seen, from])),
      );
    return [...new Set(arrows.filter(({ from, to }) => reaches(to, from)).map(({ from, to }) => `${from} → ${to}`))];
  },
};

/** The writes of tables that another room owns. */
function foreign(writes: readonly Write[]): (Write & { table: string; room: string; owner: string })[] {
  return writes.flatMap((write) => {
    const room = roomOf(write.place);
    const owner = TABLE_OWNERS[write.table ?? ''];
    return owner && owner !== room ? [{ ...write, table: write.table!, room, owner }] : [];
  });
}

/** `src/core/events/a.ts` → `core/events`, `src/ai/usage/a.ts` → `ai` */
function roomOf(place: string): string {
  const [, room = '', inner = ''] = place.split('/');
  return room === 'core' ? `core/${inner}` : room;
}
