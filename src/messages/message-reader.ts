import { Injectable } from '@nestjs/common';
import {
  fromPublicId,
  toPublicId,
  type Confirmation,
  type Direction,
  type Environment,
  type MessageStatus,
  type Platform,
  type SendFailure,
} from '#contracts';
import { Database, statement } from '../core/database/database';
import { Page } from '../core/http/envelope';
import { timeRange } from '../core/http/list-query.dto';
import { listStatement } from '../core/http/list-statement';
import { parseSort, type SortField } from '../core/http/sort';
import type { MessageListQuery } from './dto/message-query.dto';
import type { MessageDto, MessageListItemDto } from './dto/message.dto';
import type { MessageFilter } from './list-sql';
import { messageList } from './message-list';

const SORTABLE = {
  created_at: 'created_at',
  platform: 'platform',
  direction: 'direction',
  conversation_id: 'conversation_id',
};

const READ = statement(
  'message-read',
  `SELECT id, conversation_id, platform, direction, content, status, created_at, delivered_at, read_at, confirmation,
     ai_model, input_tokens, output_tokens, failure
   FROM messages WHERE id = $1 AND environment = $2`,
);

interface ListRow {
  id: string;
  conversation_id: string;
  platform: Platform;
  direction: Direction;
  content: string;
  created_at: Date;
}

/** A page's row; of an empty page the one row that carries the total alone. */
type PageRow = (ListRow | { id: null }) & { total: string };

interface MessageRow extends ListRow {
  status: MessageStatus;
  delivered_at: Date | null;
  read_at: Date | null;
  confirmation: Confirmation | null;
  ai_model: string | null;
  input_tokens: number | null;
  output_tokens: number | null;
  failure: SendFailure | null;
}

@Injectable()
export class MessageReader {
  constructor(private readonly database: Database) {}

  async find(environment: Environment, id: string): Promise<MessageDto | undefined> {
    const [row] = await this.database.query<MessageRow>(READ, [id, environment]);
    return row && toMessage(row);
  }

  async list(environment: Environment, query: MessageListQuery): Promise<Page<MessageListItemDto>> {
    const order = parseSort(query.sort ?? '-created_at', SORTABLE);
    const { from, until } = timeRange(query);
    const { platform, direction } = query;
    const conversationId =
      query.conversation_id === undefined ? undefined : fromPublicId('conversation', query.conversation_id);
    // A malformed id names no conversation: as empty as an unknown one.
    if (query.conversation_id !== undefined && conversationId === undefined) return new Page([], query, 0);
    return this.page(query, order, { environment, platform, direction, from, until, conversationId });
  }

  private async page(
    query: MessageListQuery,
    order: readonly SortField[],
    filter: MessageFilter,
  ): Promise<Page<MessageListItemDto>> {
    const offset = (query.page - 1) * query.per_page;
    const { text, values } = messageList(filter, { order, offset, limit: query.per_page });
    const rows = await this.database.query<PageRow>(listStatement('messages-list', text, order), values);
    const items = rows.filter(({ id }) => id !== null).map((row) => toListItem(row as ListRow));
    return new Page(items, query, Number(rows[0]!.total));
  }
}

function toListItem(row: ListRow): MessageListItemDto {
  return {
    id: toPublicId('message', row.id),
    conversation_id: toPublicId('conversation', row.conversation_id),
    platform: row.platform,
    direction: row.direction,
    content: row.content,
    created_at: row.created_at.toISOString(),
  };
}

function toMessage(row: MessageRow): MessageDto {
  return {
    ...toListItem(row),
    status: row.status,
    delivered_at: row.delivered_at?.toISOString() ?? null,
    read_at: row.read_at?.toISOString() ?? null,
    confirmation: row.confirmation,
    ai_model: row.ai_model,
    tokens: row.ai_model === null ? null : { input: row.input_tokens ?? 0, output: row.output_tokens ?? 0 },
    error: row.failure,
  };
}
