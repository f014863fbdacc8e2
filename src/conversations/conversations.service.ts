import { Injectable } from '@nestjs/common';
import { toPublicId, type ConversationStatus, type Environment, type Platform } from '#contracts';
import { Clock } from '../core/clock/clock.service';
import { Database, statement } from '../core/database/database.service';
import { ApiError } from '../core/http/lifecycle/api-error';
import { pageOf, sliceOf, type Page, type PageRow } from '../core/pagination/list-page';
import { timeRange } from '../core/pagination/list-query.dto';
import { listStatement } from '../core/pagination/list-statement';
import { parseSort } from '../core/pagination/sort';
import { conversationPage } from './conversation-page';
import type { ConversationChangeDto } from './dto/conversation-change.dto';
import { SORTABLE, type ConversationListQuery, type ConversationReadQuery } from './dto/conversation-query.dto';
import type {
  ClearedConversationDto,
  ConversationDto,
  ConversationListItemDto,
  ConversationMessageDto,
} from './dto/conversation.dto';

const COLUMNS = `id, platform, participant_id, participant_name, participant_username, message_count, status, ai_paused,
  created_at, last_message_at`;

const READ = statement('conversation-read', `SELECT ${COLUMNS} FROM conversations WHERE id = $1 AND environment = $2`);

const NEWEST_MESSAGES = statement(
  'conversation-messages',
  `SELECT id, direction, content, created_at FROM messages WHERE conversation_id = $1
   ORDER BY created_at DESC, id DESC LIMIT $2`,
);

const CLEAR = statement(
  'conversation-clear',
  `UPDATE conversations c SET cleared_seq = c.message_count
   FROM (SELECT id, cleared_seq FROM conversations WHERE id = $1 AND environment = $2 FOR UPDATE) before
   WHERE c.id = before.id
   RETURNING c.message_count - before.cleared_seq AS cleared`,
);

const CHANGE = statement(
  'conversation-change',
  `UPDATE conversations SET status = coalesce($3::text, status), ai_paused = coalesce($4::boolean, ai_paused),
     activated_at = CASE WHEN $3::text = 'active' THEN now() ELSE activated_at END
   WHERE id = $1 AND environment = $2 RETURNING ${COLUMNS}`,
);

interface ConversationRow {
  id: string;
  platform: Platform;
  participant_id: string;
  participant_name: string | null;
  participant_username: string | null;
  message_count: number;
  status: ConversationStatus;
  ai_paused: boolean;
  created_at: Date;
  last_message_at: Date;
}

@Injectable()
export class ConversationsService {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  async list(environment: Environment, query: ConversationListQuery): Promise<Page<ConversationListItemDto>> {
    const { platform, status } = query;
    const slice = sliceOf(query, parseSort(query.sort ?? '-last_message_at', SORTABLE));
    const filter = { environment, platform, status, ...timeRange(query) };
    const { text, values } = conversationPage(filter, slice, COLUMNS);
    const list = listStatement('conversations-list', text, slice.order);
    return pageOf(await this.database.query<PageRow<ConversationRow>>(list, values), query, toListItem);
  }

  async read(environment: Environment, id: string, query: ConversationReadQuery): Promise<ConversationDto> {
    const [row] = await this.database.query<ConversationRow>(READ, [id, environment]);
    if (!row) throw notFound(id);
    const conversation = toConversation(row);
    if (query.include_messages) conversation.messages = await this.newestMessages(id, query.message_limit);
    return conversation;
  }

  async change(environment: Environment, id: string, change: ConversationChangeDto): Promise<ConversationDto> {
    const { status, ai_paused: aiPaused } = change;
    const values = [id, environment, status ?? null, aiPaused ?? null];
    const [row] = await this.database.query<ConversationRow & Record<string, unknown>>(CHANGE, values);
    if (!row) throw notFound(id);
    return toConversation(row);
  }

  /** Sets the watermark of the AI context; the history stays. */
  async clear(environment: Environment, id: string): Promise<ClearedConversationDto> {
    const [row] = await this.database.query<{ cleared: number }>(CLEAR, [id, environment]);
    if (!row) throw notFound(id);
    return {
      conversation_id: toPublicId('conversation', id),
      cleared_at: this.clock.date().toISOString(),
      messages_cleared: row.cleared,
    };
  }

  private async newestMessages(id: string, limit: number): Promise<ConversationMessageDto[]> {
    const rows = await this.database.query<{
      id: string;
      direction: 'inbound' | 'outbound';
      content: string;
      created_at: Date;
    }>(NEWEST_MESSAGES, [id, limit]);
    return rows
      .toReversed()
      .map((row) => ({ ...row, id: toPublicId('message', row.id), created_at: row.created_at.toISOString() }));
  }
}

function notFound(id: string): ApiError {
  return ApiError.notFound('conversation', toPublicId('conversation', id));
}

function toConversation(row: ConversationRow): ConversationDto {
  return { ...toListItem(row), status: row.status, ai_paused: row.ai_paused };
}

function toListItem(row: ConversationRow): ConversationListItemDto {
  return {
    id: toPublicId('conversation', row.id),
    platform: row.platform,
    participant: { id: row.participant_id, name: row.participant_name, username: row.participant_username },
    message_count: row.message_count,
    last_message_at: row.last_message_at.toISOString(),
    created_at: row.created_at.toISOString(),
  };
}
