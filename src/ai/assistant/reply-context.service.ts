import { Injectable } from '@nestjs/common';
import { newUuid, type Environment, type Handling, type Platform } from '#contracts';
import { Accounts } from '../../accounts/accounts.service';
import { Clock } from '../../core/clock/clock.service';
import { Database } from '../../core/database/database.service';
import { DeploymentSecrets } from '../../core/secrets/deployment-secrets';
import { personOf } from '../../core/secrets/person';
import { SettingsService } from '../../core/settings/settings.service';
import { Attachments } from '../../media/attachments.service';
import type { AiCall } from '../ai-call';
import type { CallRange } from '../call-range';
import { ContextFiles } from './context-files.service';
import { contentOf, type WordsRow } from './message-words';
import { AT_POSITION, REPLY_CONTEXT } from './reply-context.rows';
import type { ReplyTask } from './reply-tasks.service';

/** `handover.answers_per_10_minutes` */
const LOOP_MS = 600_000;
/** The most messages that a reply reads. */
const NEWEST = 1_000;
const ALL = null;

interface ConversationColumns {
  platform: Platform;
  account: string;
  participant_id: string;
  participant_name: string | null;
  participant_username: string | null;
  address: string | null;
  handling: Handling;
  handling_seq: number;
  cleared_seq: number;
  recent_answers: number;
  is_answer_under_way: boolean;
}

interface MessageRow extends ConversationColumns, WordsRow {
  id: string;
  seq: number;
  traceparent: string | null;
  created_at: Date;
  has_attachments: boolean;
  sender_id: string | null;
  is_open: boolean;
}

type Row = MessageRow | (ConversationColumns & { id: null });

/** A message to answer. */
export interface OpenMessage {
  id: string;
  seq: number;
  arrivedAt: Date;
}

/** The input for an answer. */
export interface ReplyContext {
  environment: Environment;
  platform: Platform;
  account: string;
  participantId: string;
  participantName: string | null;
  participantUsername: string | null;
  address: string | null;
  /** The position at which `handling` last changed. */
  handlingSeq: number;
  /** The watermark. */
  clearedSeq: number;
  /** How many answers were stored in the last ten minutes. */
  recentAnswers: number;
  /** Its messages are oldest first; the last one is the person's. */
  call: AiCall;
  /** Which messages of the conversation the call is about. */
  range: CallRange;
  /** The messages to answer, oldest first; at least one. */
  open: readonly OpenMessage[];
  /** When its reading began, in Unix milliseconds. */
  loadedAt: number;
  /** The W3C trace context of the first of them. */
  traceparent: string | null;
  /** UUID of the message that the answer is shown as a reply to, on platforms that show it. */
  replyTo?: string;
}

@Injectable()
export class ReplyContexts {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly attachments: Attachments,
    private readonly files: ContextFiles,
    private readonly accounts: Accounts,
    private readonly settings: SettingsService,
    private readonly secrets: DeploymentSecrets,
  ) {}

  /**
   * @returns 'not yet' while an earlier answer or a file of the messages must still arrive; undefined if the assistant is off or does
   *   not have the conversation, or there is nothing to answer (only white space)
   */
  async load(task: ReplyTask): Promise<ReplyContext | 'not yet' | undefined> {
    const { environment } = task;
    const { ai, handover } = this.settings.of(environment);
    const limit = ai.context_messages;
    const loadedAt = this.clock.now();
    const latest = await this.read(task, limit, NEWEST);
    // If clocks differ more, many messages may sort after the ones to answer: read all, because those must be in the context.
    const rows = latest.some(isOpen) ? latest : await this.read(task, limit, ALL);
    if (rows[0]?.is_answer_under_way) return 'not yet';
    const messages = rows.filter((row) => row.id !== null);
    const open = messages.filter(isOpen);
    const [first] = open;
    if (!first || !open.some(({ content }) => content.trim() !== '')) return undefined;
    const { platform, account, handling } = first;
    const own = this.accounts.settingsOf({ environment, platform, account }).ai;
    if (handling !== 'assistant' || !(own?.auto_reply ?? ai.auto_reply)) return undefined;
    // Before the attachments are read: a transcript that is stored in between is not missed.
    const openWithFiles = open.filter(({ has_attachments }) => has_attachments);
    if (openWithFiles.length > 0 && (await this.files.areAwaited(openWithFiles))) return 'not yet';
    const withFiles = messages.filter(({ has_attachments }) => has_attachments).map(({ id }) => id);
    const attachments = await this.attachments.ofMessages(withFiles);
    const from = Math.min(...open.map(({ seq }) => seq));
    const words = await this.files.messages(
      environment,
      messages.map((row) => ({
        direction: row.direction,
        content: contentOf(row),
        attachments: attachments.get(row.id) ?? [],
      })),
    );
    const range = {
      firstMessageId: messages[0]!.id,
      lastMessageId: open.at(-1)!.id,
      answers: { from, to: task.requested_seq },
    };
    // The authors of the messages to answer, newest first.
    const senders = new Set(open.map(({ sender_id, participant_id }) => sender_id ?? participant_id).toReversed());
    return {
      environment,
      platform,
      account,
      participantId: first.participant_id,
      participantName: first.participant_name,
      participantUsername: first.participant_username,
      address: first.address,
      handlingSeq: first.handling_seq,
      clearedSeq: first.cleared_seq,
      recentAnswers: first.recent_answers,
      open: open.map(({ id, seq, created_at: arrivedAt }) => ({ id, seq, arrivedAt })),
      loadedAt,
      traceparent: first.traceparent,
      replyTo: open.findLast(({ options }) => options && 'answer_as_reply' in options)?.id,
      range,
      call: {
        environment,
        requestId: task.request_id ?? newUuid(this.clock.now()),
        conversationId: task.conversation_id,
        messages: words,
        range,
        growing: words.length > 1 && words.length < limit,
        isRepeated: task.request_id !== null,
        // Files may have filled the memory of the process that died: the same answer would end this one too.
        withoutFiles: task.faults > 0,
        mayHandOver: handover.by_assistant,
        persons: Array.from(senders, (id) => personOf(this.secrets, environment, platform, id)),
        ...(own?.model !== undefined && { model: own.model }),
        ...(own?.system_prompt !== undefined && { system: own.system_prompt }),
      },
    };
  }

  /** The range of a reply whose context was not read; undefined without a message at that position. */
  async rangeOf({ conversation_id, answered_seq, requested_seq }: ReplyTask): Promise<CallRange | undefined> {
    const [last] = await this.database.query<{ id: string }>(AT_POSITION, [conversation_id, requested_seq]);
    return last && { lastMessageId: last.id, answers: { from: answered_seq + 1, to: requested_seq } };
  }

  private read({ conversation_id, answered_seq, requested_seq }: ReplyTask, limit: number, most: number | null) {
    const since = new Date(this.clock.now() - LOOP_MS);
    return this.database.query<Row>(REPLY_CONTEXT, [conversation_id, answered_seq, requested_seq, limit, most, since]);
  }
}

function isOpen(row: Row): row is MessageRow {
  return row.id !== null && row.is_open;
}
