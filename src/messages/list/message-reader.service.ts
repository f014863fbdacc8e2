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
import { Database, statement } from '../../core/database/database.service';
import { ISO_TIMES } from '../../core/pagination/iso-times';
import { Page, pageOf, sliceOf, type PageRow } from '../../core/pagination/list-page';
import { timeRange } from '../../core/pagination/list-query.dto';
import type { MessageListQuery } from '../dto/message-query.dto';
import type { MessageDto, MessageListItemDto } from '../dto/message.dto';
import { messageList } from './message-list';

const ITEM_COLUMNS = 'id, conversation_id, platform, direction, content, created_at';
const COLUMNS = `${ITEM_COLUMNS}, status, delivered_at, read_at, confirmation, ai_model, input_tokens, output_tokens, failure`;
const USAGE_COLUMNS = `${COLUMNS}, latency_ms, cost_usd::float8 AS cost_usd`;

const READ = {
  ...statement('message-read', `SELECT ${COLUMNS} FROM messages WHERE id = $1 AND environment = $2`),
  types: ISO_TIMES,
};

/**
 * A client names a conversation by its participant, by another id of theirs, or by its channel at Discord. Telegram
 * alone knows which channel has the name `@channelname`.
 */
const IN_CONVERSATION = statement(
  'message-in-conversation',
  `SELECT 1 FROM messages m JOIN conversations c ON c.id = m.conversation_id
   WHERE m.id = $1 AND m.environment = $2 AND c.platform = $3 AND (
     $4::text IN (c.participant_id, c.address)
     OR EXISTS (
       SELECT FROM participant_aliases
       WHERE environment = $2 AND platform = $3 AND alias = $4 AND participant_id = c.participant_id
     )
     OR $4 LIKE '@%'
   )`,
);
interface ListRow {
  id: string;
  conversation_id: string;
  platform: Platform;
  direction: Direction;
  content: string;
  created_at: string;
}

interface MessageRow extends ListRow {
  status: MessageStatus;
  delivered_at: string | null;
  read_at: string | null;
  confirmation: Confirmation | null;
  ai_model: string | null;
  input_tokens: number | null;
  output_tokens: number | null;
  failure: SendFailure | null;
}

interface UsageRow extends MessageRow {
  latency_ms: number | null;
  cost_usd: number | null;
}

interface ItemForm {
  columns: string;
  toItem: (row: UsageRow) => MessageListItemDto;
}

@Injectable()
export class MessageReader {
  constructor(private readonly database: Database) {}

  async find(environment: Environment, id: string): Promise<MessageDto | undefined> {
    const [row] = await this.database.read<MessageRow>(READ, [id, environment]);
    return row && toMessage(row);
  }

  /** Whether a message belongs to the conversation with a participant. */
  async isExchangedWith(
    { environment, platform, participantId }: { environment: Environment; platform: Platform; participantId: string },
    id: string,
  ): Promise<boolean> {
    const rows = await this.database.query(IN_CONVERSATION, [id, environment, platform, participantId]);
    return rows.length > 0;
  }

  async list(environment: Environment, query: MessageListQuery): Promise<Page<MessageListItemDto>> {
    const { platform, direction, sort = '-created_at' } = query;
    const conversationId =
      query.conversation_id === undefined ? undefined : fromPublicId('conversation', query.conversation_id);
    // A malformed id names no conversation: the list is empty, as for an unknown one.
    if (query.conversation_id !== undefined && conversationId === undefined) return new Page([], query, 0);
    const filter = { environment, platform, direction, conversationId, ...timeRange(query) };
    const { offset, limit } = sliceOf(query, []);
    const { columns, toItem } = ITEMS[query.expand ?? 'plain'];
    const { statement: list, values, isShort } = messageList({ filter, sort, offset, limit, columns });
    const rows = isShort
      ? await this.database.read<PageRow<UsageRow>>(list, values)
      : await this.database.query<PageRow<UsageRow>>(list, values);
    return pageOf(rows, query, toItem);
  }
}

function toListItem(row: ListRow): MessageListItemDto {
  return {
    id: toPublicId('message', row.id),
    conversation_id: toPublicId('conversation', row.conversation_id),
    platform: row.platform,
    direction: row.direction,
    content: row.content,
    created_at: row.created_at,
  };
}

function toMessage(row: MessageRow): MessageDto {
  return {
    ...toListItem(row),
    status: row.status,
    delivered_at: row.delivered_at,
    read_at: row.read_at,
    confirmation: row.confirmation,
    ai_model: row.ai_model,
    tokens: row.ai_model === null ? null : { input: row.input_tokens ?? 0, output: row.output_tokens ?? 0 },
    error: row.failure,
  };
}

/** What `expand` makes of an item. */
const ITEMS: Readonly<Record<'plain' | NonNullable<MessageListQuery['expand']>, ItemForm>> = {
  plain: { columns: ITEM_COLUMNS, toItem: toListItem },
  details: { columns: COLUMNS, toItem: toMessage },
  usage: {
    columns: USAGE_COLUMNS,
    toItem: (row) => ({ ...toMessage(row), latency_ms: row.latency_ms, cost_usd: row.cost_usd }),
  },
};
