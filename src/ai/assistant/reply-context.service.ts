import { Injectable } from '@nestjs/common';
import type { Direction, Environment, Handling, MessageSender, Platform } from '#contracts';
import { Clock } from '../../core/clock/clock.service';
import { Database, statement } from '../../core/database/database.service';
import { Attachments } from '../../media/attachments.service';
import type { CallRange } from '../call-range';
import type { AiMessage } from '../provider/ai-provider.port';
import { ContextFiles } from './context-files.service';
import type { ReplyTask } from './reply-tasks.service';

/** No process sends a message for longer without giving it a task: a part takes a minute at most, pauses ten seconds. */
const LONGEST_FIRST_SEND_MS = 900_000;
/** `handover.answers_per_10_minutes` */
const LOOP_MS = 600_000;
const OF_COLLEAGUE = '(A colleague wrote:)';
/** What the assistant may see. */
export const IN_CONTEXT = `coalesce(m.options ->> 'in_context', 'true') = 'true'`;
const COLUMNS = `m.id, m.seq, m.direction, m.content, m.options, m.sent_by, m.traceparent, m.created_at, m.has_attachments, m.sender ->> 'id' AS sender_id`;
const newest = (limit: string) => `ORDER BY m.created_at DESC, m.id DESC LIMIT ${limit}`;
/** The clocks of instances differ: up to this many messages may have a time that does not fit their position. */
const OUT_OF_ORDER = 50;
/** A reply looks at this many messages at most. */
const NEWEST = 1_000;
const ALL = null;
/** The messages after a position, and some before it, so that a long conversation is not read to its beginning. */
const messagesAfter = (position: string) => `(
       SELECT m.* FROM messages m WHERE m.conversation_id = $1
       ${newest(`(
         SELECT CASE WHEN $6::integer IS NOT NULL THEN least(c.message_count - ${position}, $6) + ${OUT_OF_ORDER} END FROM conversation c
       )`)}
     ) m`;

/**
 * One statement for all that a reply needs to know, instead of five in sequence (ADR 34). $2 and $3 are the task's answered and
 * requested positions, $4 is the largest number of messages, $6 how many it looks at (null: all).
 *
 * `open` is what is to be answered. Unanswered messages from before the watermark count as well: a cleared context must not
 * leave a person without an answer. `earlier` is what comes before that, after the watermark. The answer to an earlier
 * message is part of it even where it was stored after messages that arrived while it was being made: in the order of
 * storage the model would be asked everything again that it has just answered.
 *
 * What arrived before `handling` last changed is not answered: it is context, as is what people wrote meanwhile.
 *
 * An answer on its way must arrive before the next one is made. Its position is after the messages that it answers. While its
 * first process sends it, it has no task: it counts if it is newer than $5.
 *
 * `recent_answers` are those since $7, and since the assistant got the conversation: a loop with another machine has many.
 */
export const REPLY_CONTEXT = statement(
  'reply-context',
  `WITH conversation AS (
     SELECT platform, participant_id, address, handling, handling_seq, cleared_seq, message_count
     FROM conversations WHERE id = $1::uuid
   ),
   open AS (
     SELECT ${COLUMNS}, true AS is_open FROM ${messagesAfter('$2::integer')} CROSS JOIN conversation c
     WHERE m.direction = 'inbound' AND m.seq > $2 AND m.seq > c.handling_seq AND m.seq <= $3::integer AND ${IN_CONTEXT}
     ${newest('$4::integer')}
   ),
   earlier AS (
     SELECT ${COLUMNS}, false AS is_open FROM ${messagesAfter('c.cleared_seq')} CROSS JOIN conversation c
     WHERE m.status NOT IN ('failed', 'scheduled', 'cancelled') AND m.seq > c.cleared_seq AND ${IN_CONTEXT}
       AND (m.direction = 'outbound' OR m.seq <= greatest($2, c.handling_seq))
     ${newest('$4 - (SELECT count(*) FROM open)')}
   )
   SELECT m.*, c.platform, c.participant_id, c.address, c.handling, c.handling_seq, c.cleared_seq, (
     SELECT count(*)::int FROM messages answer
     WHERE answer.conversation_id = $1 AND answer.created_at > $7::timestamptz AND answer.ai_model IS NOT NULL
       AND answer.seq > c.handling_seq
   ) AS recent_answers, EXISTS (
     SELECT FROM ${messagesAfter('$2')}
     WHERE m.seq > $2 AND m.ai_model IS NOT NULL AND (
       m.status = 'pending' AND m.created_at > $5::timestamptz
       OR EXISTS (SELECT FROM message_tasks t WHERE t.message_id = m.id)
     )
   ) AS is_answer_under_way
   FROM conversation c LEFT JOIN (SELECT * FROM open UNION ALL SELECT * FROM earlier) m ON true
   ORDER BY m.is_open, m.created_at, m.id`,
);

/** The newest messages are read first. */
const AT_POSITION = statement(
  'reply-at-position',
  `SELECT id FROM messages m WHERE conversation_id = $1 AND seq = $2 ${newest('1')}`,
);

interface ConversationColumns {
  platform: Platform;
  participant_id: string;
  address: string | null;
  handling: Handling;
  handling_seq: number;
  cleared_seq: number;
  recent_answers: number;
  is_answer_under_way: boolean;
}

interface MessageRow extends ConversationColumns {
  id: string;
  seq: number;
  direction: Direction;
  content: string;
  options: object | null;
  sent_by: MessageSender | null;
  traceparent: string | null;
  created_at: Date;
  has_attachments: boolean;
  sender_id: string | null;
  is_open: boolean;
}

type Row = MessageRow | (ConversationColumns & { id: null });

/** A message that is to be answered. */
export interface OpenMessage {
  id: string;
  seq: number;
  arrivedAt: Date;
  /** The platform's id of its author. */
  senderId: string;
}

/** The input for an answer. */
export interface ReplyContext {
  environment: Environment;
  platform: Platform;
  participantId: string;
  address: string | null;
  handling: Handling;
  /** The position at which `handling` last changed. */
  handlingSeq: number;
  /** The watermark. */
  clearedSeq: number;
  /** How many answers were stored in the last ten minutes. */
  recentAnswers: number;
  /** Oldest first; the last one is the person's. */
  messages: AiMessage[];
  /** Which messages of the conversation the call is about. */
  range: CallRange;
  /** The messages that are to be answered, oldest first; at least one. */
  open: readonly OpenMessage[];
  /** The W3C trace context of the first of them. */
  traceparent: string | null;
  /** UUID of the message that the answer names as answered, where the platform shows that. */
  replyTo?: string;
}

@Injectable()
export class ReplyContexts {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly attachments: Attachments,
    private readonly files: ContextFiles,
  ) {}

  /**
   * @param limit the largest number of messages
   * @returns 'not yet' while an earlier answer must still arrive, or a file of the messages; undefined when there is nothing to answer: white space
   *   alone needs no answer
   */
  async load(task: ReplyTask, limit: number): Promise<ReplyContext | 'not yet' | undefined> {
    const latest = await this.read(task, limit, NEWEST);
    // Clocks that differ more may have put what is to be answered before many others: it is always in the conversation.
    const rows = latest.some(isOpen) ? latest : await this.read(task, limit, ALL);
    if (rows[0]?.is_answer_under_way) return 'not yet';
    const messages = rows.filter((row) => row.id !== null);
    const open = messages.filter(isOpen);
    const [first] = open;
    if (!first || !open.some(({ content }) => content.trim() !== '')) return undefined;
    const withFiles = messages.filter(({ has_attachments }) => has_attachments).map(({ id }) => id);
    const attachments = await this.attachments.ofMessages(withFiles);
    if (open.some(({ id, created_at }) => this.files.isAwaited(attachments.get(id) ?? [], created_at)))
      return 'not yet';
    const from = Math.min(...open.map(({ seq }) => seq));
    return {
      environment: task.environment,
      platform: first.platform,
      participantId: first.participant_id,
      address: first.address,
      handling: first.handling,
      handlingSeq: first.handling_seq,
      clearedSeq: first.cleared_seq,
      recentAnswers: first.recent_answers,
      open: open.map(({ id, seq, created_at, sender_id, participant_id }) => ({
        id,
        seq,
        arrivedAt: created_at,
        senderId: sender_id ?? participant_id,
      })),
      traceparent: first.traceparent,
      replyTo: open.findLast(({ options }) => options && 'answer_as_reply' in options)?.id,
      messages: await this.files.messages(
        task.environment,
        messages.map((row) => ({
          direction: row.direction,
          content: contentOf(row),
          attachments: attachments.get(row.id) ?? [],
        })),
      ),
      range: {
        firstMessageId: messages[0]!.id,
        lastMessageId: open.at(-1)!.id,
        answers: { from, to: task.requested_seq },
      },
    };
  }

  /** What a reply is about whose context is not known; undefined without a message of that position. */
  async rangeOf({ conversation_id, answered_seq, requested_seq }: ReplyTask): Promise<CallRange | undefined> {
    const [last] = await this.database.query<{ id: string }>(AT_POSITION, [conversation_id, requested_seq]);
    return last && { lastMessageId: last.id, answers: { from: answered_seq + 1, to: requested_seq } };
  }

  private read({ conversation_id, answered_seq, requested_seq }: ReplyTask, limit: number, most: number | null) {
    const ago = (ms: number) => new Date(this.clock.now() - ms);
    const times = [ago(LONGEST_FIRST_SEND_MS), most, ago(LOOP_MS)];
    return this.database.query<Row>(REPLY_CONTEXT, [conversation_id, answered_seq, requested_seq, limit, ...times]);
  }
}

function isOpen(row: Row): row is MessageRow {
  return row.id !== null && row.is_open;
}

/** What a colleague wrote is marked: the assistant must not take it for its own words. */
function contentOf({ direction, content, options, sent_by }: MessageRow): string {
  const isColleagues = sent_by === 'phone' || (options !== null && 'by_colleague' in options);
  return direction === 'outbound' && isColleagues ? `${OF_COLLEAGUE}\n${content}` : content;
}
