import { Injectable } from '@nestjs/common';
import { newUuid, toPublicId, type MessageStatus } from '#contracts';
import { ConversationDirectory } from '../../conversations/conversation-directory.service';
import { OPEN_CONVERSATION, PARTICIPANT } from '../../conversations/open-conversation';
import { Clock } from '../../core/clock/clock.service';
import { Database, statement, type Statement } from '../../core/database/database.service';
import { ENDED, leaseOf } from '../../core/database/lease';
import type { DomainEvent } from '../../core/events/domain-event';
import { DomainEvents } from '../../core/events/domain-events.service';
import { insertEvents } from '../../core/events/event-rows';
import { Batcher } from '../../core/jobs/batcher';
import { Tracer } from '../../core/observability/tracing/tracer';
import { noteIds } from '../../core/observability/tracing/work-context';
import type { OutboundDraft, OutboundMessage, PartRecord } from './outbound-message';
import { retryOnConflict } from '../retry-on-conflict';
import { clampedTimestamp } from '../watermark';

/** The lease of a send, in seconds; the process that sends extends it. Another process takes the send over when it expires. */
export const SEND_LEASE_SECONDS = 15;

const CREATED_AT = clampedTimestamp('$6');

const LEASE = leaseOf(SEND_LEASE_SECONDS);

/** The fence of the process that stored a message: it holds the lease on the message's row. Later ones hold its task. */
const FIRST_FENCE = 1;
const HELD_FIRST = `status = 'pending' AND lease_until IS NOT NULL AND $2::integer = ${FIRST_FENCE}`;
const HELD_TASK = `message_id = $1::uuid AND fence = $2::integer`;

/** What else is to be done in the statement that stores a message: common table expressions whose placeholders begin at $17. */
interface Attached {
  /** They stand before the others; the placeholder of the conversation is $2. */
  first: string;
  /** Without it, neither the message is stored nor its conversation changed. */
  condition: string;
  /** The options of the message. */
  options: string;
}

/** The statement that stores a message as `pending`. */
export function acceptStatement(name: string, attached?: Attached): Statement {
  return statement(
    name,
    `WITH ${attached ? `${attached.first},` : ''}
     participant AS (${PARTICIPANT('$3::environment', '$4::text', '$5::text')}),
     conversation AS (${OPEN_CONVERSATION(
       `SELECT $2::uuid, $3, $4, participant_id, NULL, NULL, NULL, 'active', 1, ${CREATED_AT}, ${CREATED_AT} FROM participant
        WHERE ${attached?.condition ?? 'true'}`,
       '',
     )}),
     message AS (
       INSERT INTO messages (id, environment, conversation_id, seq, platform, direction, content, status, options, api_key_id,
         reply_to, ai_model, input_tokens, output_tokens, latency_ms, cost_usd, created_at, lease_until,
         traceparent)
       SELECT $1::uuid, $3, id, message_count, $4, 'outbound', $7, 'pending', ${attached?.options ?? '$8'}, $9, $10, $11, $12, $13, $14, $15, ${CREATED_AT},
         ${LEASE}, $16
       FROM conversation
     )
     SELECT id, participant_id, participant_name, address FROM conversation`,
  );
}

const ACCEPT = acceptStatement('outbound-accept');

const MARK_WRITE = statement(
  'outbound-mark-write',
  `WITH message AS (
     UPDATE messages SET write_started_at = now(), lease_until = ${LEASE} WHERE id = $1::uuid AND ${HELD_FIRST} RETURNING 1
   ),
   task AS (UPDATE message_tasks SET write_started_at = now(), lease_until = ${LEASE} WHERE ${HELD_TASK} RETURNING 1)
   SELECT 1 FROM message UNION ALL SELECT 1 FROM task`,
);

const RECORD_PARTS = `
  INSERT INTO message_parts (message_id, part_index, environment, platform, platform_message_id, status, recorded_at)
  SELECT $1::uuid, p.index, $3::environment, $4::text, p.id, p.status, $5::timestamptz
  FROM json_to_recordset($6::json) AS p(index integer, id text, status text)`;

/** Returns no row when another process has taken the message over. */
const RECORD_PART = statement(
  'outbound-record-part',
  `WITH held AS (
     SELECT id FROM messages WHERE id = $1::uuid AND ${HELD_FIRST}
     UNION ALL SELECT message_id FROM message_tasks WHERE ${HELD_TASK}
   ),
   part AS (${RECORD_PARTS} WHERE EXISTS (SELECT FROM held) ON CONFLICT DO NOTHING)
   SELECT 1 FROM held`,
);

/** Changes nothing once the lease is released. */
const EXTEND = statement(
  'outbound-extend',
  `WITH message AS (UPDATE messages SET lease_until = ${LEASE} WHERE id = $1::uuid AND ${HELD_FIRST} RETURNING 1),
   task AS (UPDATE message_tasks SET lease_until = ${LEASE} WHERE ${HELD_TASK} AND lease_until IS NOT NULL RETURNING 1)
   SELECT 1 FROM message UNION ALL SELECT 1 FROM task`,
);

/**
 * Records the outcome in one statement, only if this process holds the message under its fence. No index holds what it
 * sets of the message. The lease goes on where this process confirms the delivery later.
 */
export const FINISH = statement(
  'outbound-finish',
  `WITH held AS (SELECT message_id FROM message_tasks WHERE ${HELD_TASK} FOR UPDATE),
   message AS (
     UPDATE messages SET status = $7, sent_at = $8, delivered_at = $9, confirmation = $10, failure = $11,
       latency_ms = coalesce(latency_ms, $12), platform_message_id = $15,
       lease_until = now() + ($13::integer + ${SEND_LEASE_SECONDS * 1_000}) * interval '1 millisecond'
     WHERE id = $1::uuid AND ((${HELD_FIRST}) OR (status = 'pending' AND EXISTS (SELECT FROM held)))
     RETURNING id
   ),
   done AS (DELETE FROM message_tasks WHERE message_id = $1::uuid AND EXISTS (SELECT FROM held)),
   part AS (${RECORD_PARTS} WHERE EXISTS (SELECT FROM message) ON CONFLICT DO NOTHING),
   ${insertEvents('$14', 'EXISTS (SELECT FROM message)')}
   SELECT EXISTS (SELECT FROM message) AS recorded`,
);

const PLATFORM_ID = statement(
  'message-platform-id',
  `SELECT coalesce(platform_message_id, received_id, (
     SELECT platform_message_id FROM message_parts WHERE message_id = messages.id AND platform_message_id IS NOT NULL
     ORDER BY part_index LIMIT 1
   )) AS id FROM messages WHERE id = $1`,
);

/** A message that its first process leaves gets a task: any process may claim that. */
const POSTPONE = statement(
  'outbound-postpone',
  `WITH message AS (
     UPDATE messages SET write_started_at = NULL, lease_until = NULL WHERE id = $1::uuid AND ${HELD_FIRST} RETURNING id
   ),
   added AS (
     INSERT INTO message_tasks (message_id, next_at, fence, attempts)
     SELECT id, now() + $3::integer * interval '1 millisecond', ${FIRST_FENCE}, 1 FROM message
   )
   UPDATE message_tasks SET write_started_at = NULL, lease_until = NULL, next_at = now() + $3::integer * interval '1 millisecond'
   WHERE ${HELD_TASK}`,
);

/** No index holds the leases of messages. A process extends them for minutes at most. */
export const END_MESSAGE_LEASES = `
  UPDATE messages SET lease_until = ${ENDED}
  WHERE environment = ANY ('{live,test}'::environment[]) AND created_at > now() - interval '1 hour' AND lease_until > now()`;

export const END_SEND_LEASES = `UPDATE message_tasks SET lease_until = ${ENDED} WHERE lease_until > now()`;

export interface Outcome {
  status: Extract<MessageStatus, 'sent' | 'delivered' | 'failed'>;
  sentAt: Date | null;
  deliveredAt: Date | null;
  failure: unknown;
  latencyMs: number;
  /** What the platform calls a message of one part. */
  platformMessageId: string | null;
  /** Parts that have rows of their own. */
  parts: PartRecord[];
  /** Milliseconds until the delivery counts as confirmed; null when nothing is left to confirm. */
  confirmAfterMs: number | null;
  events: DomainEvent[];
}

/** The parameters of `FINISH`, and what it answered. */
interface OutcomeRecord {
  values: unknown[];
  recorded: boolean;
}

interface ConversationRow {
  id: string;
  participant_id: string;
  participant_name: string | null;
  address: string | null;
}

/** The rows of outbound messages. */
@Injectable()
export class OutboundStore {
  /** One transaction for the outcomes of concurrent sends: none of them locks what another one waits for. */
  private readonly outcomes = new Batcher<OutcomeRecord>((records) => this.write(records), { size: 32 });

  constructor(
    private readonly database: Database,
    private readonly directory: ConversationDirectory,
    private readonly events: DomainEvents,
    private readonly clock: Clock,
    private readonly tracer: Tracer,
  ) {}

  /** Stores a message as `pending`, leased to this process, in one statement. */
  async accept(draft: OutboundDraft): Promise<OutboundMessage> {
    return (await this.acceptWith(draft, ACCEPT, []))!;
  }

  /**
   * As `accept`, with a statement that does more.
   * @param values of its further placeholders
   * @returns undefined when its condition did not hold
   */
  acceptWith(
    draft: OutboundDraft,
    prepared: Statement,
    values: readonly unknown[],
  ): Promise<OutboundMessage | undefined> {
    const { environment, platform, recipient } = draft;
    return retryOnConflict(
      () => this.insert(draft, prepared, values),
      () => this.directory.forget(environment, platform, recipient),
    );
  }

  private async insert(
    draft: OutboundDraft,
    prepared: Statement,
    values: readonly unknown[],
  ): Promise<OutboundMessage | undefined> {
    const { environment, platform, content, options, apiKeyId, ai } = draft;
    const candidate = draft.conversationId ?? this.directory.candidate(environment, platform, draft.recipient);
    const now = this.clock.now();
    const id = draft.id ?? newUuid(now);
    const traceparent = this.tracer.traceparent ?? null;
    const leasedAt = performance.now();
    const [row] = await this.database.query<ConversationRow>(prepared, [
      id,
      candidate,
      environment,
      platform,
      draft.recipient,
      new Date(now),
      content,
      JSON.stringify(options),
      apiKeyId ?? null,
      options.reply_to ?? null,
      ai?.model ?? null,
      ai?.tokens.input ?? null,
      ai?.tokens.output ?? null,
      ai?.latencyMs ?? null,
      ai?.costUsd ?? null,
      traceparent,
      ...values,
    ]);
    if (!row) return undefined;
    const { id: conversationId, participant_id: recipient, participant_name: recipientName, address } = row;
    noteIds({ message_id: toPublicId('message', id), conversation_id: toPublicId('conversation', conversationId) });
    this.directory.remember(environment, platform, draft.recipient, { id: conversationId, participantId: recipient });
    return {
      id,
      environment,
      platform,
      conversationId,
      recipient,
      recipientName,
      address,
      content,
      options,
      ai: ai ?? null,
      fence: FIRST_FENCE,
      leasedAt,
      traceparent,
    };
  }

  /** What the platform calls one of our messages, or undefined. */
  async platformIdOf(messageId: string | undefined): Promise<string | undefined> {
    if (messageId === undefined) return undefined;
    const [row] = await this.database.query<{ id: string }>(PLATFORM_ID, [messageId]);
    return row?.id;
  }

  /** To be called before the first byte of a client's message goes out. @returns whether this process still holds the message */
  async markWriteStarted({ id, fence }: OutboundMessage): Promise<boolean> {
    const rows = await this.database.query(MARK_WRITE, [id, fence]);
    return rows.length > 0;
  }

  /** @returns whether this process still holds the message */
  async extend({ id, fence }: OutboundMessage): Promise<boolean> {
    return (await this.database.query(EXTEND, [id, fence])).length > 0;
  }

  /**
   * Records the outcome of one part, so that a process that takes over sends only the other parts.
   * @returns whether this process still holds the message
   */
  async recordPart({ id, fence, environment, platform }: OutboundMessage, part: PartRecord): Promise<boolean> {
    const values = [id, fence, environment, platform, this.clock.date(), partRows([part])];
    return (await this.database.query(RECORD_PART, values)).length > 0;
  }

  /** @returns false when another process has taken the message over: its record counts, not ours */
  async finish({ id, fence, environment, platform }: OutboundMessage, outcome: Outcome): Promise<boolean> {
    const record: OutcomeRecord = {
      values: [
        id,
        fence,
        environment,
        platform,
        this.clock.date(),
        partRows(outcome.parts),
        outcome.status,
        outcome.sentAt,
        outcome.deliveredAt,
        outcome.deliveredAt ? 'platform' : null,
        outcome.failure === null ? null : JSON.stringify(outcome.failure),
        outcome.latencyMs,
        outcome.confirmAfterMs,
        this.events.rows(outcome.events),
        outcome.platformMessageId,
      ],
      recorded: false,
    };
    await this.outcomes.add(record);
    if (record.recorded) this.events.publish(outcome.events);
    return record.recorded;
  }

  private async write(records: readonly OutcomeRecord[]): Promise<void> {
    const sets = records.map(({ values }) => values);
    const results = await this.database.together<{ recorded: boolean }>(FINISH, sets);
    results.forEach(([row], index) => (records[index]!.recorded = row!.recorded));
  }

  /** Releases the lease: none of the remaining parts was sent. */
  async postpone({ id, fence }: OutboundMessage, delayMs: number): Promise<void> {
    await this.database.query(POSTPONE, [id, fence, Math.ceil(delayMs)]);
  }
}

function partRows(parts: readonly PartRecord[]): string {
  return JSON.stringify(
    parts.map(({ index, status, platformMessageId }) => ({ index, status, id: platformMessageId })),
  );
}
