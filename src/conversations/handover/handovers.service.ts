import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository, type EntityManager } from 'typeorm';
import {
  cutText,
  newUuid,
  sanitizeText,
  toPublicId,
  type Environment,
  type Handling,
  type HandoverReason,
} from '#contracts';
import { Accounts } from '../../accounts/accounts.service';
import { Clock } from '../../core/clock/clock.service';
import type { DomainEvent } from '../../core/events/domain-event';
import { DomainEvents } from '../../core/events/domain-events.service';
import { ApiError } from '../../core/http/lifecycle/api-error';
import { SettingsService } from '../../core/settings/settings.service';
import { ConversationEntity, type LockedConversation } from '../entities/conversation.entity';
import { HandoverEntity } from '../entities/handover.entity';
import { PastHandoverEntity, type HandoverEnd } from '../entities/past-handover.entity';
import { WITH_MERGED } from '../open-conversation.rows';
import { lockWithMerged } from '../lock-with-merged';
import { handoverData } from './handover-event';
import type { AnswerLimit } from './raised-limits';

const MINUTE_MS = 60_000;
/** Longest summary, in characters. */
export const MAX_SUMMARY = 1_000;
/** The work of a resumption begins this long before it, and waits for the moment. */
const LEAD_MS = 2_000;

/** Which handling wins when two conversations become one. */
const STRENGTH: Readonly<Record<Handling, number>> = { assistant: 0, requested: 1, human: 2 };

/** The terms of a takeover; a field that is left out becomes null. */
export interface TakeoverTerms {
  assignee?: string;
  note?: string;
  resumeAfterMinutes?: number;
}

export interface HandoverRequest {
  reason: HandoverReason;
  /** The limit that refused the answer, for `budget`. */
  limit?: AnswerLimit;
  summary?: string;
  /** When the assistant gets the conversation back, unless a client resumes it before. */
  resumeAt?: Date;
}

/**
 * Changes who has a conversation. Every change first locks the row of the conversation, as do the statements that store its
 * messages: an answer that must not go out after a takeover sees the takeover there. Events are stored in the caller's transaction; the
 * caller publishes them after its commit.
 */
@Injectable()
export class Handovers {
  constructor(
    @InjectRepository(ConversationEntity) private readonly conversations: Repository<ConversationEntity>,
    private readonly settings: SettingsService,
    private readonly events: DomainEvents,
    private readonly clock: Clock,
    private readonly accounts: Accounts,
  ) {}

  /** Runs a change in a transaction of its own. */
  async run(change: (transaction: EntityManager) => Promise<DomainEvent[]>): Promise<void> {
    this.events.publish(await this.conversations.manager.transaction(change));
  }

  /**
   * Locks a conversation, and those that it continues. A merged conversation stands for the one that it was merged into.
   * @throws ApiError RESOURCE_NOT_FOUND, or INVALID_REQUEST for one that is erased
   */
  async lock(transaction: EntityManager, environment: Environment, id: string): Promise<LockedConversation> {
    const conversation = (await lockWithMerged(transaction, environment, id)).at(-1);
    if (!conversation) throw ApiError.notFound('conversation', toPublicId('conversation', id));
    const { participantId } = conversation;
    if (participantId === null) throw ApiError.malformed('the conversation is erased');
    return Object.assign(conversation, { participantId });
  }

  /** A person takes the conversation over, or changes assignee, note and timer. @param conversation from `lock` */
  async takeOver(
    transaction: EntityManager,
    conversation: LockedConversation,
    { assignee, note, resumeAfterMinutes }: TakeoverTerms = {},
  ): Promise<DomainEvent[]> {
    const now = this.clock.date();
    const resumeAt = resumeAfterMinutes === undefined ? null : after(now, resumeAfterMinutes);
    const before = await this.handoverOf(transaction, conversation);
    const taken = {
      ...before,
      requestId: before?.requestId ?? newUuid(now.getTime()),
      assignee: assignee ?? null,
      note: note ?? null,
      takenAt: conversation.handling === 'human' ? (before?.takenAt ?? now) : now,
      notifyAt: null,
      ...until(resumeAt),
    };
    await this.keep(transaction, conversation, taken);
    if (conversation.handling === 'human') return [];
    await this.setHandling(transaction, conversation, 'human');
    const { reason = null, summary = null } = before ?? {};
    return this.tell('conversation.handover_taken', transaction, conversation, { ...taken, reason, summary }, now);
  }

  /** A colleague wrote on the phone. It never shortens a takeover. @param conversation from `lock` */
  async takeOverByEcho(
    transaction: EntityManager,
    conversation: LockedConversation,
    resumeAfterMinutes: number,
  ): Promise<DomainEvent[]> {
    if (conversation.handling !== 'human') return this.takeOver(transaction, conversation, { resumeAfterMinutes });
    const before = await this.handoverOf(transaction, conversation);
    const resumeAt = after(this.clock.date(), resumeAfterMinutes);
    if (before?.resumeAt && before.resumeAt < resumeAt)
      await this.keep(transaction, conversation, { ...before, ...until(resumeAt) });
    return [];
  }

  /** Asks for a person, unless one is asked for or has the conversation. @param conversation from `lock` */
  async request(
    transaction: EntityManager,
    conversation: LockedConversation,
    { reason, limit, summary, resumeAt }: HandoverRequest,
  ): Promise<DomainEvent[]> {
    if (conversation.handling !== 'assistant') return [];
    const now = this.clock.date();
    const { notify_after_minutes: minutes } = this.settings.of(conversation.environment).handover;
    const text = sanitizeText(summary ?? '').trim();
    const requested = {
      requestId: newUuid(now.getTime()),
      reason,
      waitsFor: limit ?? null,
      summary: text === '' ? null : cutText(text, MAX_SUMMARY),
      assignee: null,
      note: null,
      requestedAt: now,
      takenAt: null,
      notifyAt: minutes === null ? null : after(now, minutes),
      ...until(resumeAt ?? null),
    };
    await this.keep(transaction, conversation, requested);
    await this.setHandling(transaction, conversation, 'requested');
    return this.tell('conversation.handover_requested', transaction, conversation, requested, now);
  }

  /** Hands the conversation back to the assistant. @param conversation from `lock` */
  async resume(
    transaction: EntityManager,
    conversation: LockedConversation,
    endedBy: HandoverEnd = 'request',
  ): Promise<DomainEvent[]> {
    if (conversation.handling === 'assistant') return [];
    const before = await this.handoverOf(transaction, conversation);
    const { reason = null, summary = null, assignee = null } = before ?? {};
    await this.end(transaction, before, endedBy);
    await this.setHandling(transaction, conversation, 'assistant');
    const ended = { reason, summary, assignee };
    return this.tell('conversation.resumed', transaction, conversation, ended, this.clock.date());
  }

  /**
   * One conversation continues another one of the same person: the stronger handling of both stays, with the later end.
   * Both are locked.
   */
  async merge(
    transaction: EntityManager,
    kept: LockedConversation,
    merged: LockedConversation,
  ): Promise<DomainEvent[]> {
    const [own, other] = [await this.handoverOf(transaction, kept), await this.handoverOf(transaction, merged)];
    await this.end(transaction, other, 'merge');
    const isOthers = STRENGTH[merged.handling] > STRENGTH[kept.handling];
    const handling = isOthers ? merged.handling : kept.handling;
    if (handling === 'assistant') return [];
    // Answers in progress are neither stored nor sent.
    const { id, messageCount } = merged;
    await transaction
      .withRepository(this.conversations)
      .update(id, { handling: 'assistant', handlingSeq: messageCount });
    const stronger = isOthers ? other : own;
    if (stronger) await this.keep(transaction, kept, { ...stronger, ...until(latestEnd(own, other)) });
    if (!isOthers) return [];
    await this.setHandling(transaction, kept, handling);
    const { reason = null, summary = null, assignee = null } = stronger ?? {};
    const handover = { reason, summary, assignee };
    const type = handling === 'human' ? 'conversation.handover_taken' : 'conversation.handover_requested';
    return this.tell(type, transaction, kept, handover, this.clock.date());
  }

  /** The assistant may answer messages after this position again. @param conversation from `lock`, which the assistant has */
  async reopen(transaction: EntityManager, { id, handlingSeq }: LockedConversation, position: number): Promise<void> {
    if (handlingSeq <= position) return;
    await transaction.withRepository(this.conversations).update(id, { handlingSeq: position });
  }

  /** Moves a handover to the history. */
  private async end(transaction: EntityManager, handover: HandoverEntity | null, endedBy: HandoverEnd): Promise<void> {
    if (!handover) return;
    const { conversationId, requestId, reason, summary, note, assignee, requestedAt, takenAt } = handover;
    const who = { conversationId, requestId, reason, summary, note, assignee };
    await transaction.insert(PastHandoverEntity, {
      ...who,
      requestedAt,
      takenAt,
      resumedAt: this.clock.date(),
      endedBy,
    });
    await transaction.delete(HandoverEntity, conversationId);
  }

  private handoverOf(transaction: EntityManager, { id }: LockedConversation): Promise<HandoverEntity | null> {
    return transaction.findOneBy(HandoverEntity, { conversationId: id });
  }

  private async keep(
    transaction: EntityManager,
    { id, environment }: LockedConversation,
    handover: Partial<HandoverEntity>,
  ): Promise<void> {
    const row = { ...handover, conversationId: id, environment, leaseUntil: null };
    await transaction.upsert(HandoverEntity, row, ['conversationId']);
  }

  private async setHandling(
    transaction: EntityManager,
    { id, messageCount }: LockedConversation,
    handling: ConversationEntity['handling'],
  ): Promise<void> {
    const rows = transaction.withRepository(this.conversations);
    await rows.update(id, { handling, handlingSeq: messageCount });
    // An answer that was begun before the merge stops too.
    await rows
      .createQueryBuilder()
      .update({ handlingSeq: () => 'message_count' })
      .where(`id IN ${WITH_MERGED(':id::uuid')} AND merged_into IS NOT NULL`, { id })
      .execute();
  }

  private async tell(
    type: Parameters<DomainEvents['create']>[0] & `conversation.${string}`,
    transaction: EntityManager,
    conversation: LockedConversation,
    handover: Parameters<typeof handoverData>[2],
    at: Date,
  ): Promise<DomainEvent[]> {
    const events = [
      this.events.create(type, handoverData(conversation, this.accounts.shown(conversation), handover, at)),
    ];
    await this.events.store(events, transaction);
    return events;
  }
}

/** The later of two ends; null is the latest. A conversation that the assistant has needs no end. */
function latestEnd(...handovers: (HandoverEntity | null)[]): Date | null {
  const ends = handovers.flatMap((handover) => (handover ? [handover.resumeAt] : []));
  return ends.reduce((one, next) => (one === null || next === null ? null : one > next ? one : next), new Date(0));
}

function after(now: Date, minutes: number): Date {
  return new Date(now.getTime() + minutes * MINUTE_MS);
}

/** The columns of a handover that ends at a moment. */
function until(resumeAt: Date | null): Pick<HandoverEntity, 'resumeAt' | 'nextAt'> {
  return { resumeAt, nextAt: resumeAt && new Date(resumeAt.getTime() - LEAD_MS) };
}
