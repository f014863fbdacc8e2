import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { In, Not, Repository, type EntityManager } from 'typeorm';
import {
  toPublicId,
  type Environment,
  type Handling,
  type MessageStatus,
  type Platform,
  type Scope,
  type ShownAccount,
} from '#contracts';
import { Accounts } from '../accounts/accounts.service';
import { Clock } from '../core/clock/clock.service';
import { Database } from '../core/database/database.service';
import type { DomainEvent } from '../core/events/domain-event';
import { ApiError } from '../core/http/lifecycle/api-error';
import { pageOf, sliceOf, TOTAL_CAP, Page, type PageRow } from '../core/pagination/list-page';
import { timeRange } from '../core/pagination/list-query.dto';
import { listStatement } from '../core/pagination/list-statement';
import { parseSort } from '../core/pagination/sort';
import { Attachments } from '../media/attachments.service';
import { MessageEntity, senderOf } from '../messages/entities/message.entity';
import { detailsOf, isDeleted } from './message-details';
import type { QuotedMessageRow } from './quoted.rows';
import { replyWindow } from './reply-window';
import { conversationPage } from './list/conversation-page.rows';
import { toLastError, type ReplyError } from './list/last-error';
import { FIND_ERROR } from './list/unanswered.rows';
import type { LastErrorDto } from './dto/last-error.dto';
import type { Caller } from '../core/http/lifecycle/request-context';
import { ConversationSearch } from './list/conversation-search.service';
import type { ConversationChangeDto } from './dto/conversation-change.dto';
import { SORTABLE, type ConversationListQuery, type ConversationReadQuery } from './dto/conversation-query.dto';
import type {
  ClearedConversationDto,
  ConversationDto,
  ConversationListItemDto,
  ConversationMessageDto,
  LastInboundDto,
  LastMessageDto,
} from './dto/conversation.dto';
import { ConversationEntity, type LockedConversation } from './entities/conversation.entity';
import { MarketingPreferences } from './marketing/marketing-preferences.service';
import { HandoverEntity } from './entities/handover.entity';
import { toHandover, type HandoverDto, type TakeOverDto } from './handover/handover.dto';
import { lockWithMerged } from './lock-with-merged';
import { Handovers } from './handover/handovers.service';

const ITEM_COLUMNS =
  'id, platform, account, participant_id, participant_name, participant_username, message_count, last_message_at, created_at, ' +
  'erased_at, merged_into, labels, metadata, last_error, next_try_at, handling, reason, summary, note, assignee, requested_at, taken_at, resume_at';

/** The caller decides which fields a conversation shows. */
type ReadingCaller = Pick<Caller, 'environment' | 'scopes'>;

const DEFAULT_MESSAGES = 50;

interface ListRow extends HandoverDto {
  id: string;
  platform: Platform;
  account: string;
  participant_id: string | null;
  participant_name: string | null;
  participant_username: string | null;
  message_count: number;
  /** ISO 8601, as is `created_at`. */
  last_message_at: string;
  created_at: string;
  erased_at: string | null;
  merged_into: string | null;
  labels: string[];
  metadata: Record<string, string>;
  last_error: ReplyError | null;
  next_try_at: string | null;
  handling: Handling;
  /** Only if the caller asked for it; null where retention has removed all messages. */
  last_message?: LastMessageDto | null;
  last_inbound?: LastInboundDto | null;
  next_send_at?: string | null;
}

@Injectable()
export class ConversationsService {
  constructor(
    private readonly database: Database,
    @InjectRepository(ConversationEntity) private readonly conversations: Repository<ConversationEntity>,
    private readonly search: ConversationSearch,
    private readonly handovers: Handovers,
    private readonly clock: Clock,
    private readonly attachments: Attachments,
    private readonly marketing: MarketingPreferences,
    private readonly accounts: Accounts,
  ) {}

  async list(
    { environment, scopes }: ReadingCaller,
    query: ConversationListQuery,
  ): Promise<Page<ConversationListItemDto>> {
    const { account_id: accountId, status, handling, q, label, unanswered } = query;
    const at = accountId === undefined ? undefined : this.accounts.filtered(environment, accountId);
    const isNothing = accountId !== undefined && (!at || (query.platform && query.platform !== at.platform));
    if (isNothing) return new Page([], query, 0);
    const platform = at?.platform ?? query.platform;
    const search = q === undefined ? undefined : this.search.patternOf(q);
    const filter = {
      environment,
      platform,
      account: at?.account,
      status,
      handling,
      search,
      label,
      unanswered,
      ...timeRange(query),
    };
    const slice = sliceOf(query, parseSort(query.sort ?? '-last_message_at', SORTABLE));
    const { text, values } = conversationPage(filter, slice, ITEM_COLUMNS, query.expand === 'last_message');
    const list = listStatement('conversations-list', text, slice.order);
    const rows = await this.database.query<PageRow<ListRow>>(list, values);
    const isCapped = at !== undefined || q !== undefined || label !== undefined || unanswered !== undefined;
    return pageOf(
      rows,
      query,
      (row) => toListItem(row, this.accounts.shown({ environment, ...row }), scopes),
      isCapped ? TOTAL_CAP : undefined,
    );
  }

  async read(
    { environment, scopes }: ReadingCaller,
    id: string,
    query: Partial<ConversationReadQuery> = {},
  ): Promise<ConversationDto> {
    const conversation = await this.find(environment, id);
    return {
      ...(await this.shown(conversation, scopes)),
      ...(query.expand && { cleared_at: conversation.clearedAt?.toISOString() ?? null }),
      ...(query.include_messages && {
        messages: await this.newestMessages(id, query.message_limit ?? DEFAULT_MESSAGES),
      }),
    };
  }

  change(caller: ReadingCaller, id: string, change: ConversationChangeDto): Promise<ConversationDto> {
    const { status, ai_paused: isPaused, labels, metadata } = change;
    return this.changeLocked(caller, id, async (transaction, conversation) => {
      const activatedAt = status === 'active' ? () => 'now()' : undefined;
      const rows = transaction.withRepository(this.conversations);
      if (status) await rows.update(conversation.id, { status, activatedAt });
      if (labels) await rows.update(conversation.id, { labels: [...new Set(labels)] });
      if (metadata) await rows.update(conversation.id, { metadata });
      if (isPaused === false) return this.handovers.resume(transaction, conversation);
      const isTaken = isPaused === true && conversation.handling !== 'human';
      return isTaken ? this.handovers.takeOver(transaction, conversation) : [];
    });
  }

  /** A person takes the conversation over, or changes assignee, note and timer. */
  takeOver(caller: ReadingCaller, id: string, terms: TakeOverDto): Promise<ConversationDto> {
    const { assignee, note, resume_after_minutes: resumeAfterMinutes } = terms;
    return this.changeLocked(caller, id, (transaction, conversation) =>
      this.handovers.takeOver(transaction, conversation, { assignee, note, resumeAfterMinutes }),
    );
  }

  /** Hands the conversation back to the assistant. */
  resume(caller: ReadingCaller, id: string): Promise<ConversationDto> {
    return this.changeLocked(caller, id, (transaction, conversation) =>
      this.handovers.resume(transaction, conversation),
    );
  }

  /** @returns the conversation that is changed: that of a merged one is the one that it was merged into */
  private async changeLocked(
    { environment, scopes }: ReadingCaller,
    id: string,
    change: (transaction: EntityManager, conversation: LockedConversation) => Promise<DomainEvent[]>,
  ): Promise<ConversationDto> {
    let changed = id;
    await this.handovers.run(async (transaction) => {
      const conversation = await this.handovers.lock(transaction, environment, id);
      changed = conversation.id;
      return change(transaction, conversation);
    });
    return this.shown(await this.find(environment, changed), scopes);
  }

  /** Sets the watermark of the AI context; the history stays. */
  clear(environment: Environment, id: string): Promise<ClearedConversationDto> {
    return this.conversations.manager.transaction(async (manager) => {
      // A merged conversation stands for the one that goes on.
      const conversation = (await lockWithMerged(manager, environment, id)).at(-1);
      if (!conversation) throw notFound(id);
      const { id: cleared, messageCount, clearedSeq } = conversation;
      const clearedAt = this.clock.date();
      await manager.withRepository(this.conversations).update(cleared, { clearedSeq: messageCount, clearedAt });
      return {
        conversation_id: toPublicId('conversation', cleared),
        cleared_at: clearedAt.toISOString(),
        messages_cleared: messageCount - clearedSeq,
      };
    });
  }

  /** @throws ApiError RESOURCE_NOT_FOUND */
  private async find(environment: Environment, id: string): Promise<ConversationEntity> {
    const conversation = await this.conversations.findOneBy({ id, environment });
    if (!conversation) throw notFound(id);
    return conversation;
  }

  /** Why its newest message has no answer, if it is unanswered. */
  private async lastErrorOf({ id }: ConversationEntity, scopes: readonly Scope[]): Promise<LastErrorDto | null> {
    const [row] = await this.database.query<{ last_error: ReplyError | null; next_try_at: Date | null }>(FIND_ERROR, [
      id,
    ]);
    return toLastError(row?.last_error ?? null, row?.next_try_at?.toISOString() ?? null, scopes);
  }

  private async shown(conversation: ConversationEntity, scopes: readonly Scope[]): Promise<ConversationDto> {
    const { id: conversationId, handling, platform } = conversation;
    const handover =
      handling === 'assistant' ? null : await this.conversations.manager.findOneBy(HandoverEntity, { conversationId });
    const stop = platform === 'whatsapp' ? await this.marketing.stopIn(conversationId) : undefined;
    return {
      ...toConversation(conversation, this.accounts.shown(conversation), handover, this.clock.now()),
      last_error: handling === 'assistant' ? await this.lastErrorOf(conversation, scopes) : null,
      marketing_stop: stop ? { since: stop.since.toISOString(), until: stop.until?.toISOString() ?? null } : null,
    };
  }

  /** Oldest first. */
  private async newestMessages(conversationId: string, limit: number): Promise<ConversationMessageDto[]> {
    const messages = await this.conversations.manager.find(MessageEntity, {
      select: {
        id: true,
        direction: true,
        content: true,
        sentBy: true,
        aiModel: true,
        createdAt: true,
        hasAttachments: true,
        sender: true,
        // The types of TypeORM take a value of JSON for an object with columns.
        options: true as never,
        replyTo: true,
      },
      where: { conversationId, status: Not(In<MessageStatus>(['scheduled', 'cancelled'])) },
      order: { createdAt: 'DESC', id: 'DESC' },
      take: limit,
    });
    const ids = messages.filter(({ hasAttachments }) => hasAttachments).map(({ id }) => id);
    const attachments = await this.attachments.ofMessages(ids);
    const quoted = await this.quotedBy(messages);
    return messages.toReversed().map((message) => {
      const { id, direction, content, sentBy, aiModel, createdAt, sender, options, replyTo } = message;
      const quotedRow = (replyTo !== null && quoted.get(replyTo)) || null;
      return {
        id: toPublicId('message', id),
        direction,
        content,
        sent_by: senderOf({ direction, sentBy, aiModel }),
        created_at: createdAt.toISOString(),
        ...detailsOf({ direction, sender, options, reply_to: replyTo, quoted: quotedRow }),
        attachments: attachments.get(id) ?? [],
      };
    });
  }

  private async quotedBy(messages: readonly MessageEntity[]): Promise<Map<string, QuotedMessageRow>> {
    const ids = messages.flatMap(({ replyTo }) => replyTo ?? []);
    if (ids.length === 0) return new Map();
    const rows = await this.conversations.manager.find(MessageEntity, {
      // `as never`: as above.
      select: { id: true, content: true, sender: true, options: true as never },
      where: { id: In(ids) },
    });
    return new Map(
      rows.map(({ id, content, sender, options }) => [id, { content, sender, deleted: isDeleted(options) }]),
    );
  }
}

function notFound(id: string): ApiError {
  return ApiError.notFound('conversation', toPublicId('conversation', id));
}

function toConversation(
  conversation: ConversationEntity,
  account: ShownAccount,
  handover: HandoverEntity | null,
  now: number,
): Omit<ConversationDto, 'marketing_stop' | 'last_error'> {
  const window = replyWindow(conversation.platform, conversation.lastInboundAt, now);
  return {
    id: toPublicId('conversation', conversation.id),
    platform: conversation.platform,
    account,
    participant: {
      id: conversation.participantId,
      name: conversation.participantName,
      username: conversation.participantUsername,
    },
    message_count: conversation.messageCount,
    last_message_at: conversation.lastMessageAt.toISOString(),
    created_at: conversation.createdAt.toISOString(),
    erased_at: conversation.erasedAt?.toISOString() ?? null,
    merged_into: conversation.mergedInto && toPublicId('conversation', conversation.mergedInto),
    labels: conversation.labels,
    metadata: conversation.metadata,
    handling: conversation.handling,
    handover: handover && toHandover(handover),
    status: conversation.status,
    ai_paused: conversation.handling !== 'assistant',
    window: window && { open: window.open, expires_at: window.expiresAt?.toISOString() ?? null },
  };
}

function toListItem(row: ListRow, account: ShownAccount, scopes: readonly Scope[]): ConversationListItemDto {
  return {
    id: toPublicId('conversation', row.id),
    platform: row.platform,
    account,
    participant: { id: row.participant_id, name: row.participant_name, username: row.participant_username },
    message_count: row.message_count,
    last_message_at: row.last_message_at,
    created_at: row.created_at,
    erased_at: row.erased_at,
    merged_into: row.merged_into && toPublicId('conversation', row.merged_into),
    handling: row.handling,
    handover: row.handling === 'assistant' ? null : handoverOf(row),
    labels: row.labels,
    metadata: row.metadata,
    last_error: toLastError(row.last_error, row.next_try_at, scopes),
    ...(row.last_message !== undefined && {
      last_message: row.last_message && { ...row.last_message, id: toPublicId('message', row.last_message.id) },
      last_inbound: row.last_inbound && { ...row.last_inbound, id: toPublicId('message', row.last_inbound.id) },
      next_send_at: row.next_send_at,
    }),
  };
}

function handoverOf({ reason, summary, note, assignee, requested_at, taken_at, resume_at }: ListRow): HandoverDto {
  return { reason, summary, note, assignee, requested_at, taken_at, resume_at };
}
