import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { InjectRepository } from '@nestjs/typeorm';
import type { FastifyInstance } from 'fastify';
import { In, Repository, type EntityManager } from 'typeorm';
import { fromPublicId, toPublicId, type Environment } from '#contracts';
import { Clock } from '../../../core/clock/clock.service';
import { ApiError } from '../../../core/http/lifecycle/api-error';
import { Page, sliceOf, TOTAL_CAP } from '../../../core/pagination/list-page';
import { timeRange } from '../../../core/pagination/list-query.dto';
import { parseSort } from '../../../core/pagination/sort';
import { ApiKeyEntity } from '../../../api-keys/entities/api-key.entity';
import { AuditEntryEntity } from '../audit-entry.entity';
import { auditedPath } from '../audit.rows';
import { SORTABLE, type AuditEntryDto, type AuditListQuery } from './audit.dto';
import { auditPage, type AuditSelection } from './audit-list.rows';

const DAY_MS = 86_400_000;
/** Longest range for an exact path, because that search reads every entry of the range. */
export const LONGEST_PATH_RANGE_MS = DAY_MS;
/** The list covers the 30 days before its end, unless the query says where it begins. */
export const USUAL_RANGE_MS = 30 * DAY_MS;
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
    // A malformed id gives an empty list, like an unknown one.
    const isNothing =
      (query.key_id !== undefined && selection.keyId === undefined) ||
      (query.request_id !== undefined && selection.requestId === undefined);
    if (isNothing) return new Page([], query, 0);
    const { text, values } = auditPage(selection, sliceOf(query, []));
    const { manager } = this.entries;
    const [page] = await manager.query<{ ids: string[]; total: number }[]>(text, values);
    const { ids, total } = page!;
    const found = await manager.findBy(AuditEntryEntity, { id: In(ids) });
    const byId = new Map(found.map((entry) => [entry.id, entry]));
    const names = await namesOf(manager, found);
    // Retention may delete an entry between the two statements.
    const items = ids.flatMap((id) => byId.get(id) ?? []).map((entry) => toEntry(entry, names));
    return new Page(items, query, total, TOTAL_CAP);
  }

  private selectionOf(environment: Environment, query: AuditListQuery): AuditSelection {
    const { status, path, key_id: key, request_id: request, method } = query;
    const asked = timeRange(query);
    const keyId = key === undefined ? undefined : fromPublicId('api_key', key);
    const isDescending = parseSort(query.sort ?? '-created_at', SORTABLE)[0]!.descending;
    const requestId = request === undefined ? undefined : fromPublicId('request', request);
    const methods = method === undefined ? undefined : [...new Set(method.split(','))];
    // A request has few entries, so the range does not matter.
    const range = asked.from || requestId ? asked : { ...asked, from: this.daysBefore(asked.until) };
    const selection = { environment, keyId, status, methods, requestId, isDescending, ...range };
    if (path === undefined) return selection;
    const route = this.routeOf(path);
    if (route !== undefined) return { ...selection, route };
    if (requestId !== undefined) return { ...selection, path: auditedPath(path) };
    const now = this.clock.date();
    const { from, until = now } = asked;
    // An end with a time includes its millisecond. Without an end, allow for the time that the request took to arrive.
    const slackMs = asked.until ? 1 : ARRIVAL_MS;
    if (!from || until.getTime() - from.getTime() > LONGEST_PATH_RANGE_MS + slackMs) {
      throw ApiError.invalidParameter(
        'path',
        'must be a route, unless start_date and end_date are at most 24 hours apart',
        path,
      );
    }
    return { ...selection, path: auditedPath(path), until };
  }

  private daysBefore(until = this.clock.date()): Date {
    return new Date(until.getTime() - USUAL_RANGE_MS);
  }

  /**
   * The stored form of a route, for any parameter names: `/api/v1/messages/:message_id` for `/api/v1/messages/{id}`.
   */
  private routeOf(path: string): string | undefined {
    const fastify = this.server.httpAdapter.getInstance<FastifyInstance>();
    const url = path.replaceAll(/\{(\w+)\}/g, ':$1');
    try {
      const method = METHODS.find((each) => fastify.hasRoute({ method: each, url }));
      if (!method) return undefined;
      const names = Object.keys(fastify.findRoute({ method, url })?.params ?? {});
      return url.replaceAll(/:\w+/g, () => `:${names.shift()}`);
    } catch {
      // The router cannot read it as a pattern.
      return undefined;
    }
  }
}

/** The names of the entries' keys, by the key's UUID. */
async function namesOf(manager: EntityManager, entries: readonly AuditEntryEntity[]): Promise<Map<string, string>> {
  const id = In([...new Set(entries.flatMap(({ apiKeyId }) => apiKeyId ?? []))]);
  const keys = await manager.find(ApiKeyEntity, { where: { id }, select: { id: true, name: true } });
  return new Map(keys.map(({ id: key, name }) => [key, name]));
}

function toEntry(entry: AuditEntryEntity, names: ReadonlyMap<string, string>): AuditEntryDto {
  const { apiKeyId } = entry;
  return {
    id: toPublicId('audit_entry', entry.id),
    timestamp: entry.createdAt.toISOString(),
    key_id: apiKeyId && toPublicId('api_key', apiKeyId),
    key_name: (apiKeyId && names.get(apiKeyId)) ?? null,
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
