import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { toPublicId, type Environment } from '#contracts';
import { Database } from '../../core/database/database.service';
import { ApiError } from '../../core/http/lifecycle/api-error';
import { pageOf, sliceOf, type Page, type PageRow } from '../../core/pagination/list-page';
import type { ListQuery } from '../../core/pagination/list-query.dto';
import { ConversationEntity } from '../entities/conversation.entity';
import type { HandoverItemDto } from './handover.dto';
import { LIST_HANDOVERS } from './handover.rows';

type HandoverRow = HandoverItemDto & { id: string };

/** Reads the handovers of a conversation, past and present. */
@Injectable()
export class HandoverHistory {
  constructor(
    private readonly dataSource: DataSource,
    private readonly database: Database,
  ) {}

  /** @throws ApiError RESOURCE_NOT_FOUND */
  async list(environment: Environment, id: string, query: ListQuery): Promise<Page<HandoverItemDto>> {
    const isThere = await this.dataSource.manager.existsBy(ConversationEntity, { id, environment });
    if (!isThere) throw ApiError.notFound('conversation', toPublicId('conversation', id));
    const { limit, offset } = sliceOf(query, []);
    const rows = await this.database.query<PageRow<HandoverRow>>(LIST_HANDOVERS, [id, limit, offset]);
    return pageOf(rows, query, toHandoverItem);
  }
}

function toHandoverItem({
  reason,
  summary,
  note,
  assignee,
  requested_at,
  taken_at,
  resume_at,
  resumed_at,
  ended_by,
}: HandoverRow): HandoverItemDto {
  return { reason, summary, note, assignee, requested_at, taken_at, resume_at, resumed_at, ended_by };
}
