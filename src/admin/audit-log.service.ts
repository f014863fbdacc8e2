import { Injectable } from '@nestjs/common';
import { fromPublicId, toPublicId, type Environment } from '#contracts';
import { Database } from '../core/database/database';
import { Page } from '../core/http/envelope';
import { timeRange } from '../core/http/list-query.dto';
import { listStatement } from '../core/http/list-statement';
import { orderBy, parseSort } from '../core/http/sort';
import type { AuditEntryDto, AuditListQuery } from './dto/audit.dto';

const SORTABLE = {
  timestamp: 'created_at',
  created_at: 'created_at',
  status: 'status',
  duration_ms: 'duration_ms',
  path: 'path',
  method: 'method',
};

const COLUMNS = 'id, created_at, masked_key, method, path, route, client_ip, status, request_id, duration_ms';

interface AuditRow extends Omit<AuditEntryDto, 'timestamp'> {
  created_at: string;
}

@Injectable()
export class AuditLogService {
  constructor(private readonly database: Database) {}

  /** Requests without a key that exists belong to no environment; live keys see them. */
  async list(environment: Environment, query: AuditListQuery): Promise<Page<AuditEntryDto>> {
    const { from, until } = timeRange(query);
    const sort = parseSort(query.sort ?? '-created_at', SORTABLE);
    const order = orderBy(sort);
    const keyId = query.key_id === undefined ? undefined : fromPublicId('api_key', query.key_id);
    // A malformed id names no key: as empty as an unknown one.
    if (query.key_id !== undefined && keyId === undefined) return new Page([], query, 0);

    const values: unknown[] = [];
    const bind = (value: unknown, type: string) => `$${values.push(value)}::${type}`;
    const conditions: string[] = [];
    if (keyId !== undefined) conditions.push(`api_key_id = ${bind(keyId, 'uuid')}`);
    if (query.status !== undefined) conditions.push(`status = ${bind(query.status, 'integer')}`);
    if (query.path !== undefined) {
      const path = bind(query.path, 'text');
      conditions.push(`(path = ${path} OR route = ${path})`);
    }
    if (from) conditions.push(`created_at >= ${bind(from, 'timestamptz')}`);
    if (until) conditions.push(`created_at < ${bind(until, 'timestamptz')}`);
    // Each owner's entries apart: `OR environment IS NULL` would sort the whole log for every page.
    const parts = [
      `environment = ${bind(environment, 'environment')}`,
      ...(environment === 'live' ? ['environment IS NULL'] : []),
    ].map((own) => [own, ...conditions].join(' AND '));
    const limit = bind(query.per_page, 'integer');
    const skipped = (query.page - 1) * query.per_page;
    const [offset, first] = [bind(skipped, 'bigint'), bind(skipped + query.per_page, 'bigint')];
    const rows = parts.map(
      (part) => `(SELECT ${COLUMNS} FROM audit_log WHERE ${part} ORDER BY ${order} LIMIT ${first})`,
    );
    const counts = parts.map((part) => `(SELECT count(*) FROM audit_log WHERE ${part})`);
    // One snapshot for page and total: they agree.
    const text = `WITH page AS (
        SELECT ${COLUMNS} FROM (${rows.join(' UNION ALL ')}) entries ORDER BY ${order} LIMIT ${limit} OFFSET ${offset}
      )
      SELECT (${counts.join(' + ')})::int AS total, (SELECT json_agg(page) FROM page) AS page`;
    const [row] = await this.database.query<{ total: number; page: AuditRow[] | null }>(
      listStatement('audit-list', text, sort),
      values,
    );
    return new Page((row!.page ?? []).map(toEntry), query, row!.total);
  }
}

function toEntry({ created_at, ...row }: AuditRow): AuditEntryDto {
  return {
    ...row,
    id: toPublicId('audit_entry', row.id),
    timestamp: new Date(created_at).toISOString(),
    request_id: toPublicId('request', row.request_id),
  };
}
