import { Injectable } from '@nestjs/common';
import { fromPublicId, type AccountKey, type Environment } from '#contracts';
import { Accounts } from '../../accounts/accounts.service';
import { Database } from '../../core/database/database.service';
import { ApiError } from '../../core/http/lifecycle/api-error';
import { Page, pageOf, sliceOf, TOTAL_CAP, type PageRow } from '../../core/pagination/list-page';
import { timeRange } from '../../core/pagination/list-query.dto';
import type { MessageListQuery } from '../dto/message-query.dto';
import type { MessageDto, MessageListItemDto } from '../dto/message.dto';
import { IN_CONVERSATION, LIST_FORMS, READ_MESSAGE, toMessage, type ListedRow, type ReadRow } from '../message.rows';
import type { MessageFilter } from './list-sql';
import { MessageIndex } from './message-index.service';
import { messageList } from './message-list.rows';
import { hasWord, searchList } from './search-list.rows';
import { READ_AT_MOST } from './status-list.rows';

@Injectable()
export class MessageReader {
  constructor(
    private readonly database: Database,
    private readonly index: MessageIndex,
    private readonly accounts: Accounts,
  ) {}

  async find(environment: Environment, id: string): Promise<MessageDto | undefined> {
    const [row] = await this.database.query<ReadRow>(READ_MESSAGE, [id, environment]);
    return row && toMessage(row, this.accounts.shown({ environment, ...row }));
  }

  /** Whether a message belongs to the conversation with a participant. */
  async isExchangedWith(
    { environment, platform, account, participantId }: AccountKey & { participantId: string },
    id: string,
  ): Promise<boolean> {
    const rows = await this.database.query(IN_CONVERSATION, [id, environment, platform, participantId, account]);
    return rows.length > 0;
  }

  /** @param warn called if the search reads only the newest messages, because its index is being built */
  async list(
    environment: Environment,
    query: MessageListQuery,
    warn: () => void = () => undefined,
  ): Promise<Page<MessageListItemDto>> {
    if (query.q !== undefined && !hasWord(query.q))
      throw ApiError.invalidParameter('q', 'must contain a letter or a digit', query.q);
    const { account_id: accountId, sort = '-created_at' } = query;
    const at = accountId === undefined ? undefined : this.accounts.filtered(environment, accountId);
    const isNothing = accountId !== undefined && (!at || (query.platform && query.platform !== at.platform));
    if (isNothing) return new Page([], query, 0);
    const platform = at?.platform ?? query.platform;
    // All inbound messages are `received`, and no others are.
    const status = query.status === 'received' ? undefined : query.status;
    const direction = query.status ? (status ? 'outbound' : 'inbound') : query.direction;
    const conversationId =
      query.conversation_id === undefined ? undefined : fromPublicId('conversation', query.conversation_id);
    // A malformed id names no conversation: the list is empty, as for an unknown one.
    if (query.conversation_id !== undefined && conversationId === undefined) return new Page([], query, 0);
    if (query.direction && query.direction !== direction) return new Page([], query, 0);
    const filter = {
      environment,
      platform,
      account: at?.account,
      direction,
      status,
      conversationId,
      ...timeRange(query),
    };
    const { offset, limit } = sliceOf(query, []);
    const { columns, toItem } = LIST_FORMS[query.expand ?? 'plain'];
    const selection = { filter, sort, offset, limit, columns };
    const shown = (row: ListedRow) => toItem(row, this.accounts.shown({ environment, ...row }));
    const { q } = query;
    if (q !== undefined || at) {
      const isIndexed = q === undefined || (await this.index.isReady());
      if (!isIndexed) warn();
      const { statement: search, values } = searchList(q, selection, isIndexed);
      return pageOf(await this.database.query<PageRow<ListedRow>>(search, values), query, shown, TOTAL_CAP);
    }
    await this.assertFew(filter);
    const { statement: list, values } = messageList(selection);
    const rows = await this.database.query<PageRow<ListedRow>>(list, values);
    return pageOf(rows, query, shown);
  }

  /** @throws ApiError INVALID_PARAMETER if a list by status would read too many messages */
  private async assertFew({ status, ...all }: MessageFilter): Promise<void> {
    if (!status || status === 'failed' || all.conversationId !== undefined) return;
    const { columns } = LIST_FORMS.plain;
    const { statement: list, values } = messageList({ filter: all, sort: '-created_at', offset: 0, limit: 1, columns });
    const [row] = await this.database.query<PageRow<ListedRow>>(list, values);
    if (Number(row!.total) <= READ_AT_MOST) return;
    throw ApiError.invalidParameter(
      'start_date',
      `must narrow the search to at most ${READ_AT_MOST} messages, together with end_date and platform`,
    );
  }
}
