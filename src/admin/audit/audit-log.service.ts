import { Injectable } from '@nestjs/common';
import { fromPublicId, toPublicId, type Environment } from '#contracts';
import { Bindings } from '../../core/database/bindings';
import { Database } from '../../core/database/database.service';
import { Page, pageOf, sliceOf, type PageRow } from '../../core/pagination/list-page';
import { timeRange } from '../../core/pagination/list-query.dto';
import { createdWithin, listStatement } from '../../core/pagination/list-statement';
import { orderBy, parseSort } from '../../core/pagination/sort';
import { SORTABLE, type AuditEntryDto, type AuditListQuery } from './audit.dto';

const COLUMNS = 'id, created_at, masked_key, method, path, route, client_ip, status, request_id, duration_ms';

interface AuditRow extends Omit<AuditEntryDto, 'timestamp'> {
  created_at: Date;
}

@Injectable()
export class AuditLogService {
  constructor(private readonly database: Database) {}

  /** Requests without a well-formed key belong to no environment; live keys see them. */
  async list(environment: Environment, query: AuditListQuery): Promise<Page<AuditEntryDto>> {
    const slice = sliceOf(query, parseSort(query.sort ?? '-created_at', SORTABLE));
    const order = orderBy(slice.order);
    const keyId = query.key_id === undefined ? undefined : fromPublicId('api_key', query.key_id);
    // A malformed id names no key: as empty as an unknown one.
    if (query.key_id !== undefined && keyId === undefined) return new Page([], query, 0);

    const bindings = new Bindings();
    const conditions: string[] = [];
    if (keyId !== undefined) conditions.push(`api_key_id = ${bindings.inSight(keyId, 'uuid')}`);
    if (query.status !== undefined) conditions.push(`status = ${bindings.inSight(query.status, 'integer')}`);
    if (query.path !== undefined) {
      const path = bindings.inSight(query.path, 'text');
      conditions.push(`(path = ${path} OR route = ${path})`);
    }
    conditions.push(...createdWithin(timeRange(query), bindings));
    // Each owner's entries apart: `OR environment IS NULL` would sort the whole log for every page.
    const owners = [
      `environment = ${bindings.inSight(environment, 'environment')}`,
      ...(environment === 'live' ? ['environment IS NULL'] : []),
    ].map((own) => [own, ...conditions].join(' AND '));
    const limit = bindings.inSight(slice.limit, 'integer');
    const offset = bindings.inSight(slice.offset, 'bigint');
    const first = bindings.inSight(slice.offset + slice.limit, 'bigint');
    const parts = owners.map(
      (own) => `(SELECT ${COLUMNS} FROM audit_log WHERE ${own} ORDER BY ${order} LIMIT ${first})`,
    );
    const counts = owners.map((own) => `(SELECT count(*) FROM audit_log WHERE ${own})`);
    // One snapshot for page and total: they agree.
    const text = `SELECT counted.total, page.* FROM (SELECT (${counts.join(' + ')})::int AS total) counted
      LEFT JOIN (
        SELECT ${COLUMNS} FROM (${parts.join(' UNION ALL ')}) entries ORDER BY ${order} LIMIT ${limit} OFFSET ${offset}
      ) page ON true
      ORDER BY ${order}`;
    const list = listStatement('audit-list', text, slice.order);
    return pageOf(await this.database.query<PageRow<AuditRow>>(list, bindings.values), query, toEntry);
  }
}

function toEntry(row: AuditRow): AuditEntryDto {
  return {
    id: toPublicId('audit_entry', row.id),
    timestamp: row.created_at.toISOString(),
    masked_key: row.masked_key,
    method: row.method,
    path: row.path,
    route: row.route,
    client_ip: row.client_ip,
    status: row.status,
    request_id: toPublicId('request', row.request_id),
    duration_ms: row.duration_ms,
  };
}
