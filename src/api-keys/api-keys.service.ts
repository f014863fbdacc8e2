import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { ArrayContains, In, Not, Repository } from 'typeorm';
import { newUuid, toPublicId } from '#contracts';
import { Clock } from '../core/clock/clock.service';
import { lockForTransaction } from '../core/database/advisory-locks';
import { announce } from '../core/database/database-listener.service';
import { ApiError } from '../core/http/lifecycle/api-error';
import { createdWithin, findPage } from '../core/pagination/find-page';
import type { Page } from '../core/pagination/list-page';
import { ParameterChecks } from '../core/validation/parameter-checks.service';
import type { Caller } from '../core/http/lifecycle/request-context';
import { parseSort } from '../core/pagination/sort';
import { DeploymentSecrets } from '../core/secrets/deployment-secrets';
import { normalizeRange } from './allowed-ips';
import { CreateApiKeyDto, SORTABLE, type ApiKeyListQuery, type UpdateApiKeyDto } from './dto/api-key-request.dto';
import type { ApiKeyDto, CreatedApiKeyDto, RevokedApiKeyDto } from './dto/api-key.dto';
import { KEYS_CHANGED } from './api-key-cache.service';
import { ApiKeyEntity } from './entities/api-key.entity';
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
import { statusOf, toKeyRecord, WITH_STATUS } from './key-record';

@Injectable()
export class ApiKeysService {
  constructor(
    @InjectRepository(ApiKeyEntity) private readonly keys: Repository<ApiKeyEntity>,
    private readonly secrets: DeploymentSecrets,
    private readonly clock: Clock,
    checks: ParameterChecks,
  ) {
    checks.add(CreateApiKeyDto, 'expires_at', (text) =>
      Date.parse(text) > clock.now() ? undefined : 'must be in the future',
    );
  }

  /** @throws ApiError INSUFFICIENT_PERMISSIONS if the new key would have more rights than the caller */
  async create(caller: Caller, request: CreateApiKeyDto): Promise<CreatedApiKeyDto> {
    const now = this.clock.now();
    const environment = request.environment ?? caller.environment;
    assertManages(caller, environment);
    assertHolds(caller, request.scopes);
    const own = await ownBounds(caller, this.keys);
    const bounds = {
      allowedIps: request.allowed_ips ? ranges(request.allowed_ips) : (own?.allowedIps ?? []),
      expiresAt: dateOrNull(request.expires_at) ?? own?.expiresAt ?? null,
    };
    if (own) assertFreesNone(caller, own, bounds);
    const key = generateKey(environment);
    const row = this.keys.create({
      id: newUuid(now),
      environment,
      name: request.name,
      digest: digestKey(this.secrets.pepper, key),
      lastFour: key.slice(-4),
      scopes: [...new Set(request.scopes)],
      tier: request.tier ?? 'standard',
      requestsPerMinute: request.rate_limit?.requests_per_minute ?? null,
      requestsPerHour: request.rate_limit?.requests_per_hour ?? null,
      createdAt: new Date(now),
      ...bounds,
    });
    await this.keys.insert(row);
    return { ...toKeyRecord(row, now), key };
  }

  list(caller: Caller, query: ApiKeyListQuery): Promise<Page<ApiKeyDto>> {
    const now = this.clock.date();
    const managed = managedEnvironments(caller);
    const where = {
      environment: In(managed.filter((environment) => (query.environment ?? environment) === environment)),
      ...(query.status && WITH_STATUS[query.status](now)),
      ...createdWithin(query),
    };
    const sort = parseSort(query.sort ?? '-created_at', SORTABLE);
    return findPage(this.keys, { where, sort, query }, (key) => toKeyRecord(key, now.getTime()));
  }

  /** Every instance applies the change within a second. @throws ApiError INVALID_REQUEST for a revoked key */
  update(caller: Caller, id: string, request: UpdateApiKeyDto): Promise<ApiKeyDto> {
    return this.changing(caller, id, async (current, keys) => {
      if (current.revokedAt) throw ApiError.malformed('the key is revoked');
      const changes = { ...changedRestrictions(current, request), name: request.name ?? current.name };
      // Read under the lock: the previous change may have restricted the caller.
      const own = await ownBounds(caller, keys);
      if (own) {
        assertFreesNone(caller, own, changes, current);
        if (caller.keyId === id) assertOwnLimitsKept(caller, current, changes);
      }
      if (changes.expiresAt) await this.assertNotLastFullKey(current, changes.expiresAt, keys);
      await keys.update(id, changes);
      return toKeyRecord({ ...current, ...changes }, this.clock.now());
    });
  }

  /** Idempotent. Every instance applies the change within a second. */
  revoke(caller: Caller, id: string): Promise<RevokedApiKeyDto> {
    return this.changing(caller, id, async (current, keys) => {
      let { revokedAt } = current;
      if (!revokedAt) {
        revokedAt = this.clock.date();
        await this.assertNotLastFullKey(current, revokedAt, keys);
        await keys.update(id, { revokedAt });
      }
      return { id: toPublicId('api_key', id), status: 'revoked', revoked_at: revokedAt.toISOString() };
    });
  }

  private changing<T>(
    caller: Caller,
    id: string,
    change: (current: ApiKeyEntity, keys: Repository<ApiKeyEntity>) => Promise<T>,
  ): Promise<T> {
    return this.keys.manager.transaction(async (manager) => {
      // Changes of keys run one at a time: two that each leave the other as the last `*` key must not both succeed.
      await lockForTransaction(manager, 'apiKeys');
      const keys = manager.withRepository(this.keys);
      const current = await keys.findOne({
        where: { id, environment: In(managedEnvironments(caller)) },
        lock: { mode: 'pessimistic_write' },
      });
      if (!current) throw ApiError.notFound('api_key', toPublicId('api_key', id));
      assertHolds(caller, current.scopes);
      const result = await change(current, keys);
      await announce(manager, KEYS_CHANGED, id);
      return result;
    });
  }

  /** @param endsAt when the key ends; another `*` key must outlast it */
  private async assertNotLastFullKey(key: ApiKeyEntity, endsAt: Date, keys: Repository<ApiKeyEntity>): Promise<void> {
    const now = this.clock.now();
    if (!key.scopes.includes('*') || statusOf(key, now) !== 'active') return;
    // The change takes nothing away if the key already had an end and the new one is no earlier.
    if (key.expiresAt && endsAt >= key.expiresAt) return;
    const isThereAnother = await keys.existsBy({
      environment: key.environment,
      id: Not(key.id),
      scopes: ArrayContains(['*']),
      ...WITH_STATUS.active(new Date(Math.max(endsAt.getTime(), now))),
    });
    if (isThereAnother) return;
    throw ApiError.malformed(`it is the last active key of the ${key.environment} environment with the scope *`);
  }
}

/** Undefined for a `*` key, which may manage keys without restriction. */
async function ownBounds({ keyId, scopes }: Caller, keys: Repository<ApiKeyEntity>): Promise<Bounds | undefined> {
  return scopes.includes('*') ? undefined : keys.findOneByOrFail({ id: keyId });
}

function changedRestrictions(current: ApiKeyEntity, request: UpdateApiKeyDto): Restrictions {
  const { rate_limit: limit } = request;
  const expiresAt = dateOrNull(request.expires_at);
  return {
    tier: request.tier ?? current.tier,
    requestsPerMinute: limit === null ? null : (limit?.requests_per_minute ?? current.requestsPerMinute),
    requestsPerHour: limit === null ? null : (limit?.requests_per_hour ?? current.requestsPerHour),
    allowedIps: request.allowed_ips ? ranges(request.allowed_ips) : current.allowedIps,
    expiresAt: expiresAt === undefined ? current.expiresAt : expiresAt,
  };
}

/** Undefined: the request leaves it out. */
function dateOrNull(text: string | null | undefined): Date | null | undefined {
  return typeof text === 'string' ? new Date(text) : text;
}

/** @param entries valid addresses and ranges */
function ranges(entries: readonly string[]): string[] {
  return [...new Set(entries.map((entry) => normalizeRange(entry)!))];
}
