import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository, type SelectQueryBuilder } from 'typeorm';
import { fromPublicId, toPublicId, type Environment } from '#contracts';
import { Page, sliceOf, type Slice } from '../../core/pagination/list-page';
import { timeRange } from '../../core/pagination/list-query.dto';
import { orderBy, orderOf, parseSort } from '../../core/pagination/sort';
import { AuditEntryEntity } from './audit-entry.entity';
import { SORTABLE, type AuditEntryDto, type AuditListQuery } from './audit.dto';

@Injectable()
export class AuditLogService {
  constructor(@InjectRepository(AuditEntryEntity) private readonly entries: Repository<AuditEntryEntity>) {}

  /** Requests without a well-formed key belong to no environment; live keys see them. */
  async list(environment: Environment, query: AuditListQuery): Promise<Page<AuditEntryDto>> {
    const keyId = query.key_id === undefined ? undefined : fromPublicId('api_key', query.key_id);
    // A malformed id names no key: the list is empty, as for an unknown one.
    if (query.key_id !== undefined && keyId === undefined) return new Page([], query, 0);
    const slice = sliceOf(query, parseSort(query.sort ?? '-created_at', SORTABLE));
    // Page and total come from one snapshot, so that they agree.
    return this.entries.manager.transaction('REPEATABLE READ', async (manager) => {
      const all = () => manager.createQueryBuilder(AuditEntryEntity, 'entry');
      // One subquery for each owner: `OR environment IS NULL` would sort the whole log for every page.
      const parts = [
        matching(all(), query, keyId).andWhere('entry.environment = :environment', { environment }),
        ...(environment === 'live' ? [matching(all(), query, keyId).andWhere('entry.environment IS NULL')] : []),
      ];
      const entries = await all()
        .where(`entry.id IN (${idsOf(parts, slice)})`)
        .setParameters(parts[0]!.getParameters())
        .orderBy(orderOf(slice.order, 'entry'))
        .getMany();
      let total = 0;
      for (const part of parts) total += await part.getCount();
      return new Page(entries.map(toEntry), query, total);
    });
  }
}

/** SQL of the ids of a page: PostgreSQL merges the parts, each read in order and no further than needed. */
function idsOf(parts: readonly SelectQueryBuilder<AuditEntryEntity>[], { order, offset, limit }: Slice): string {
  const columns = order.map(({ column, descending }) => ({ column: `"${column}"`, descending }));
  const first = parts.map((part) => {
    const rows = part.clone().select([]);
    for (const { column } of order) rows.addSelect(`entry.${column}`, column);
    return `(${rows
      .orderBy(orderOf(order, 'entry'))
      .limit(offset + limit)
      .getQuery()})`;
  });
  return `SELECT id FROM (${first.join(' UNION ALL ')}) first
    ORDER BY ${orderBy(columns)} LIMIT ${limit} OFFSET ${offset}`;
}

function matching(entries: SelectQueryBuilder<AuditEntryEntity>, query: AuditListQuery, keyId: string | undefined) {
  const { status, path } = query;
  const { from, until } = timeRange(query);
  if (keyId !== undefined) entries.andWhere('entry.apiKeyId = :keyId', { keyId });
  if (status !== undefined) entries.andWhere('entry.status = :status', { status });
  if (path !== undefined) entries.andWhere('(entry.path = :path OR entry.route = :path)', { path });
  if (from) entries.andWhere('entry.createdAt >= :from', { from });
  if (until) entries.andWhere('entry.createdAt < :until', { until });
  return entries;
}

function toEntry(entry: AuditEntryEntity): AuditEntryDto {
  return {
    id: toPublicId('audit_entry', entry.id),
    timestamp: entry.createdAt.toISOString(),
    masked_key: entry.maskedKey,
    method: entry.method,
    path: entry.path,
    route: entry.route,
    client_ip: entry.clientIp,
    status: entry.status,
    request_id: toPublicId('request', entry.requestId),
    duration_ms: entry.durationMs,
  };
}
