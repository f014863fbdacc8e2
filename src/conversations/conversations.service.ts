import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { toPublicId, type Environment } from '#contracts';
import { Clock } from '../core/clock/clock.service';
import { ApiError } from '../core/http/lifecycle/api-error';
import { Page, sliceOf } from '../core/pagination/list-page';
import { timeRange } from '../core/pagination/list-query.dto';
import { parseSort } from '../core/pagination/sort';
import { MessageEntity } from '../messages/entities/message.entity';
import { conversationPage } from './conversation-page';
import type { ConversationChangeDto } from './dto/conversation-change.dto';
import { SORTABLE, type ConversationListQuery, type ConversationReadQuery } from './dto/conversation-query.dto';
import type {
  ClearedConversationDto,
  ConversationDto,
  ConversationListItemDto,
  ConversationMessageDto,
} from './dto/conversation.dto';
import { ConversationEntity } from './entities/conversation.entity';

@Injectable()
export class ConversationsService {
  constructor(
    @InjectRepository(ConversationEntity) private readonly conversations: Repository<ConversationEntity>,
    private readonly clock: Clock,
  ) {}

  async list(environment: Environment, query: ConversationListQuery): Promise<Page<ConversationListItemDto>> {
    const { platform, status } = query;
    const filter = { environment, platform, status, ...timeRange(query) };
    const slice = sliceOf(query, parseSort(query.sort ?? '-last_message_at', SORTABLE));
    const [rows, total] = await this.conversations.manager.transaction('REPEATABLE READ', (manager) =>
      conversationPage(manager, filter, slice),
    );
    return new Page(rows.map(toListItem), query, total);
  }

  async read(environment: Environment, id: string, query: ConversationReadQuery): Promise<ConversationDto> {
    const conversation = await this.find(environment, id);
    if (!query.include_messages) return conversation;
    return { ...conversation, messages: await this.newestMessages(id, query.message_limit) };
  }

  async change(environment: Environment, id: string, change: ConversationChangeDto): Promise<ConversationDto> {
    const { status, ai_paused: aiPaused } = change;
    const activatedAt = status === 'active' ? () => 'now()' : undefined;
    await this.conversations.update({ id, environment }, { status, aiPaused, activatedAt });
    return this.find(environment, id);
  }

  /** Sets the watermark of the AI context; the history stays. */
  clear(environment: Environment, id: string): Promise<ClearedConversationDto> {
    return this.conversations.manager.transaction(async (manager) => {
      const conversations = manager.withRepository(this.conversations);
      const lock = { mode: 'pessimistic_write' } as const;
      const conversation = await conversations.findOne({ where: { id, environment }, lock });
      if (!conversation) throw notFound(id);
      const { messageCount, clearedSeq } = conversation;
      await conversations.update(id, { clearedSeq: messageCount });
      return {
        conversation_id: toPublicId('conversation', id),
        cleared_at: this.clock.date().toISOString(),
        messages_cleared: messageCount - clearedSeq,
      };
    });
  }

  /** @throws ApiError RESOURCE_NOT_FOUND */
  private async find(environment: Environment, id: string): Promise<ConversationDto> {
    const conversation = await this.conversations.findOneBy({ id, environment });
    if (!conversation) throw notFound(id);
    return { ...toListItem(conversation), status: conversation.status, ai_paused: conversation.aiPaused };
  }

  /** Oldest first. */
  private async newestMessages(conversationId: string, limit: number): Promise<ConversationMessageDto[]> {
    const messages = await this.conversations.manager.find(MessageEntity, {
      select: { id: true, direction: true, content: true, createdAt: true },
      where: { conversationId },
      order: { createdAt: 'DESC', id: 'DESC' },
      take: limit,
    });
    return messages.toReversed().map(({ id, direction, content, createdAt }) => ({
      id: toPublicId('message', id),
      direction,
      content,
      created_at: createdAt.toISOString(),
    }));
  }
}

function notFound(id: string): ApiError {
  return ApiError.notFound('conversation', toPublicId('conversation', id));
}

function toListItem(conversation: ConversationEntity): ConversationListItemDto {
  return {
    id: toPublicId('conversation', conversation.id),
    platform: conversation.platform,
    participant: {
      id: conversation.participantId,
      name: conversation.participantName,
      username: conversation.participantUsername,
    },
    message_count: conversation.messageCount,
    last_message_at: conversation.lastMessageAt.toISOString(),
    created_at: conversation.createdAt.toISOString(),
  };
}
