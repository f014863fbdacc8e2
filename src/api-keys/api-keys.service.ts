import { Injectable } from '@nestjs/common';
import type { PoolClient } from 'pg';
import { newUuid, toPublicId } from '#contracts';
import { Clock } from '../core/clock/clock.service';
import { lockForTransaction } from '../core/database/advisory-locks';
import { Bindings } from '../core/database/bindings';
import { Database } from '../core/database/database.service';
import { ANNOUNCE } from '../core/database/database-listener.service';
import { ApiError } from '../core/http/lifecycle/api-error';
import { pageOf, sliceOf, type Page, type PageRow } from '../core/pagination/list-page';
import { timeRange } from '../core/pagination/list-query.dto';
import { createdWithin } from '../core/pagination/list-statement';
import { plainList } from '../core/pagination/plain-list';
import { ParameterChecks } from '../core/validation/parameter-checks.service';
import type { Caller } from '../core/http/lifecycle/request-context';
import { parseSort } from '../core/pagination/sort';
import { DeploymentSecrets } from '../core/secrets/deployment-secrets';
import { normalizeRange } from './allowed-ips';
import { CreateApiKeyDto, SORTABLE, type ApiKeyListQuery, type UpdateApiKeyDto } from './dto/api-key-request.dto';
import type { ApiKeyDto, CreatedApiKeyDto, RevokedApiKeyDto } from './dto/api-key.dto';
import { KEYS_CHANGED } from './api-key-cache.service';
import { digestKey, generateKey } from './key-format';
import {
  assertFreesNone,
  assertHolds,
  assertManages,
  assertOwnLimitsKept,
  managedEnvironments,
  type Bounds,
  type Restrictions,
} from './key-policy';
import {
  INSERT_KEY,
  KEY_COLUMNS,
  OTHER_FULL_KEY,
  OWN_KEY,
  READ_KEY,
  REVOKE_KEY,
  STATUS_CONDITIONS,
  statusOf,
  toApiKey,
  UPDATE_KEY,
  type KeyRow,
} from './key-rows';

@Injectable()
export class ApiKeysService {
  constructor(
    private readonly database: Database,
    private readonly secrets: DeploymentSecrets,
    private readonly clock: Clock,
    checks: ParameterChecks,
  ) {
    checks.add(CreateApiKeyDto, 'expires_at', (text) =>
      Date.parse(text) > clock.now() ? undefined : 'must be in the future',
    );
  }

  /** @throws ApiError INSUFFICIENT_PERMISSIONS when more would be granted than the caller holds */
  async create(caller: Caller, request: CreateApiKeyDto): Promise<CreatedApiKeyDto> {
    const now = this.clock.now();
    const environment = request.environment ?? caller.environment;
    assertManages(caller, environment);
    assertHolds(caller, request.scopes);
    const own = await this.ownBounds(caller);
    const bounds = {
      allowed_ips: request.allowed_ips ? ranges(request.allowed_ips) : (own?.allowed_ips ?? []),
      expires_at: dateOrNull(request.expires_at) ?? own?.expires_at ?? null,
    };
    if (own) assertFreesNone(caller, own, bounds);
    const key = generateKey(environment);
    const [row] = await this.database.query<KeyRow>(INSERT_KEY, [
      newUuid(now),
      environment,
      request.name,
      digestKey(this.secrets.pepper, key),
      key.slice(-4),
      [...new Set(request.scopes)],
      request.tier ?? 'standard',
      bounds.allowed_ips,
      request.rate_limit?.requests_per_minute ?? null,
      request.rate_limit?.requests_per_hour ?? null,
      new Date(now),
      bounds.expires_at,
    ]);
    return { ...toApiKey(row!, now), key };
  }

  /** Undefined: a `*` key is bound by nothing in what it does to keys. */
  private async ownBounds({ keyId, scopes }: Caller, client?: PoolClient): Promise<Bounds | undefined> {
    if (scopes.includes('*')) return undefined;
    const [row] = await this.database.query<KeyRow>(OWN_KEY, [keyId], client);
    return row!;
  }

  async list(caller: Caller, query: ApiKeyListQuery): Promise<Page<ApiKeyDto>> {
    const slice = sliceOf(query, parseSort(query.sort ?? '-created_at', SORTABLE));
    const now = this.clock.date();
    const bindings = new Bindings();
    const conditions = [`environment = ANY(${bindings.inSight(managedEnvironments(caller), 'environment[]')})`];
    if (query.environment) conditions.push(`environment = ${bindings.inSight(query.environment, 'environment')}`);
    if (query.status) {
      // Every placeholder must be used, and only one of the three conditions knows the time.
      const at = query.status === 'revoked' ? '' : bindings.inSight(now, 'timestamptz');
      conditions.push(STATUS_CONDITIONS[query.status](at));
    }
    conditions.push(...createdWithin(timeRange(query), bindings));
    const parts = { name: 'api-keys-list', table: 'api_keys', columns: KEY_COLUMNS, conditions, slice };
    const rows = await this.database.query<PageRow<KeyRow>>(plainList(parts, bindings), bindings.values);
    return pageOf(rows, query, (row: KeyRow) => toApiKey(row, now.getTime()));
  }

  /** In force on every instance within a second. @throws ApiError INVALID_REQUEST for a revoked key */
  update(caller: Caller, id: string, request: UpdateApiKeyDto): Promise<ApiKeyDto> {
    return this.changing(caller, id, async (current, client) => {
      if (current.revoked_at) throw ApiError.malformed('the key is revoked');
      const next = { ...current, ...changedRestrictions(current, request), name: request.name ?? current.name };
      // Read when its turn has come: the change before this one may have bound the caller.
      const own = await this.ownBounds(caller, client);
      if (own) {
        assertFreesNone(caller, own, next, current);
        if (caller.keyId === id) assertOwnLimitsKept(caller, current, next);
      }
      if (next.expires_at) await this.assertNotLastFullKey(current, next.expires_at, client);
      const { name, tier, allowed_ips, requests_per_minute, requests_per_hour, expires_at } = next;
      const values = [id, name, tier, allowed_ips, requests_per_minute, requests_per_hour, expires_at];
      const [row] = await this.database.query<KeyRow>(UPDATE_KEY, values, client);
      return toApiKey(row!, this.clock.now());
    });
  }

  /** A second time answers as the first. In force on every instance within a second. */
  revoke(caller: Caller, id: string): Promise<RevokedApiKeyDto> {
    return this.changing(caller, id, async (current, client) => {
      let { revoked_at: revokedAt } = current;
      if (!revokedAt) {
        revokedAt = this.clock.date();
        await this.assertNotLastFullKey(current, revokedAt, client);
        await this.database.query(REVOKE_KEY, [id, revokedAt], client);
      }
      return { id: toPublicId('api_key', id), status: 'revoked', revoked_at: revokedAt.toISOString() };
    });
  }

  private changing<T>(
    caller: Caller,
    id: string,
    change: (current: KeyRow, client: PoolClient) => Promise<T>,
  ): Promise<T> {
    return this.database.transaction(async (client) => {
      await lockForTransaction(client, 'apiKeys');
      const [current] = await this.database.query<KeyRow>(READ_KEY, [id, managedEnvironments(caller)], client);
      if (!current) throw ApiError.notFound('api_key', toPublicId('api_key', id));
      assertHolds(caller, current.scopes);
      const result = await change(current, client);
      await this.database.query(ANNOUNCE, [KEYS_CHANGED, id], client);
      return result;
    });
  }

  /** @param endsAt when the key ends; another `*` key must be there beyond it */
  private async assertNotLastFullKey(key: KeyRow, endsAt: Date, client: PoolClient): Promise<void> {
    if (!key.scopes.includes('*') || statusOf(key, this.clock.now()) !== 'active') return;
    // A key that already ends, and now ends no earlier, is no loss.
    if (key.expires_at && endsAt >= key.expires_at) return;
    const until = new Date(Math.max(endsAt.getTime(), this.clock.now()));
    const others = await this.database.query(OTHER_FULL_KEY, [key.environment, key.id, until], client);
    if (others.length === 0) {
      throw ApiError.malformed(`it is the last active key of the ${key.environment} environment with the scope *`);
    }
  }
}

function changedRestrictions(current: KeyRow, request: UpdateApiKeyDto): Restrictions {
  const { rate_limit: limit } = request;
  const window = (name: 'requests_per_minute' | 'requests_per_hour') =>
    limit === null ? null : (limit?.[name] ?? current[name]);
  const expiresAt = dateOrNull(request.expires_at);
  return {
    tier: request.tier ?? current.tier,
    requests_per_minute: window('requests_per_minute'),
    requests_per_hour: window('requests_per_hour'),
    allowed_ips: request.allowed_ips ? ranges(request.allowed_ips) : current.allowed_ips,
    expires_at: expiresAt === undefined ? current.expires_at : expiresAt,
  };
}

/** Undefined: not said. */
function dateOrNull(text: string | null | undefined): Date | null | undefined {
  return typeof text === 'string' ? new Date(text) : text;
}

/** @param entries validated */
function ranges(entries: readonly string[]): string[] {
  return [...new Set(entries.map((entry) => normalizeRange(entry)!))];
}
