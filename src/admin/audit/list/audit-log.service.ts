import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { InjectRepository } from '@nestjs/typeorm';
import type { FastifyInstance } from 'fastify';
import { In, Repository } from 'typeorm';
import { fromPublicId, toPublicId, type Environment } from '#contracts';
import { Clock } from '../../../core/clock/clock.service';
import { ApiError } from '../../../core/http/lifecycle/api-error';
import { Page, sliceOf } from '../../../core/pagination/list-page';
import { timeRange } from '../../../core/pagination/list-query.dto';
import { parseSort } from '../../../core/pagination/sort';
import { AuditEntryEntity } from '../audit-entry.entity';
import { auditedPath } from '../audit-row';
import { SORTABLE, type AuditEntryDto, type AuditListQuery } from './audit.dto';
import { readPage, scanPath } from './audit-page';
import { HOUR_MS, type AuditSelection } from './audit-selection';

/** An exact path is looked for in each entry of the range. */
export const LONGEST_PATH_RANGE_MS = 24 * HOUR_MS;
const ARRIVAL_MS = 60_000;
const METHODS = ['GET', 'POST', 'PATCH', 'DELETE'] as const;

@Injectable()
export class AuditLogService {
  constructor(
    @InjectRepository(AuditEntryEntity) private readonly entries: Repository<AuditEntryEntity>,
    private readonly clock: Clock,
    private readonly server: HttpAdapterHost,
  ) {}

  /** @throws ApiError INVALID_PARAMETER for an exact path in a range of more than 24 hours */
  async list(environment: Environment, query: AuditListQuery): Promise<Page<AuditEntryDto>> {
    const selection = this.selectionOf(environment, query);
    // A malformed id names no key: the list is empty, as for an unknown one.
    if (query.key_id !== undefined && selection.keyId === undefined) return new Page([], query, 0);
    const read = selection.path === undefined ? readPage : scanPath;
    // Page and total come from one snapshot, so that they agree.
    return this.entries.manager.transaction('REPEATABLE READ', async (manager) => {
      const { ids, total } = await read(manager, selection, sliceOf(query, []));
      const found = await manager.findBy(AuditEntryEntity, { id: In(ids) });
      const byId = new Map(found.map((entry) => [entry.id, entry]));
      return new Page(
        ids.map((id) => toEntry(byId.get(id)!)),
        query,
        total,
      );
    });
  }

  private selectionOf(environment: Environment, query: AuditListQuery): AuditSelection {
    const { status, path, key_id: key } = query;
    const range = timeRange(query);
    const keyId = key === undefined ? undefined : fromPublicId('api_key', key);
    const isDescending = parseSort(query.sort ?? '-created_at', SORTABLE)[0]!.descending;
    const selection = { environment, keyId, status, isDescending, ...range };
    if (path === undefined) return selection;
    if (this.isRoute(path)) return { ...selection, route: path };
    const now = this.clock.date();
    const { from, until = now } = range;
    // An end without a day counts with its millisecond. Without an end, the request took time to arrive.
    const slackMs = range.until ? 1 : ARRIVAL_MS;
    if (!from || until.getTime() - from.getTime() > LONGEST_PATH_RANGE_MS + slackMs) {
      throw ApiError.invalidParameter(
        'path',
        'must be a route, unless start_date and end_date are at most 24 hours apart',
        path,
      );
    }
    return { ...selection, path: auditedPath(path), until };
  }

  private isRoute(path: string): boolean {
    const fastify = this.server.httpAdapter.getInstance<FastifyInstance>();
    try {
      return METHODS.some((method) => fastify.hasRoute({ method, url: path }));
    } catch {
      // The router cannot read it as a pattern.
      return false;
    }
  }
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
    count: entry.count,
    last_at: (entry.lastAt ?? entry.createdAt).toISOString(),
  };
}
