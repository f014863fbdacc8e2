import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { In, MoreThan, Repository, type EntityManager } from 'typeorm';
import { newUuid, toPublicId, type AiProviderName, type Environment } from '#contracts';
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
import { SettingsService } from '../core/settings/settings.service';
import { CreateApiKeyDto, SORTABLE, type ApiKeyListQuery, type UpdateApiKeyDto } from './dto/api-key-request.dto';
import type { ApiKeyDto, CreatedApiKeyDto, RevokedApiKeyDto } from './dto/api-key.dto';
import { ApiKeyCache, KEYS_CHANGED } from './api-key-cache.service';
import { ApiKeyEntity } from './entities/api-key.entity';
import { digestKey, generateKey } from './key-format';
import { CREATORS, statusOf, toKeyRecord, WITH_STATUS } from './key-record';
import { assertAdmitted } from './policy/admission';
import { isAllowedIp } from './policy/allowed-ips';
import { assertGrants, assertHolds, assertManages, assertMayChange, managedEnvironments } from './policy/grants';
import { assertNotLastFullKey } from './policy/last-full-key';
import { managedKey } from './policy/managed-key';
import { PLAIN, requestedHoldings, takenOver } from './policy/requested-holdings';
import type { ClientCredentials } from './current-credentials.decorator';

const HOUR_MS = 3_600_000;

/** The person at the command line, who needs no key. */
export const OPERATOR = 'operator';

/** Who makes or changes keys. */
export type Actor = ClientCredentials | typeof OPERATOR;

interface Change {
  current: ApiKeyEntity;
  /** The key that changes it. */
  own: ApiKeyEntity;
  keys: Repository<ApiKeyEntity>;
}

@Injectable()
export class ApiKeysService {
  constructor(
    @InjectRepository(ApiKeyEntity) private readonly keys: Repository<ApiKeyEntity>,
    private readonly secrets: DeploymentSecrets,
    private readonly clock: Clock,
    private readonly cache: ApiKeyCache,
    private readonly settings: SettingsService,
    checks: ParameterChecks,
  ) {
    checks.add(CreateApiKeyDto, 'expires_at', (text) =>
      Date.parse(text) > clock.now() ? undefined : 'must be in the future',
    );
  }

  /** @throws ApiError INSUFFICIENT_PERMISSIONS if the new key would hold more than the caller */
  create(actor: Actor, request: CreateApiKeyDto): Promise<CreatedApiKeyDto> {
    return this.underLock(actor, async (own, keys) => {
      const now = this.clock.now();
      const environment = request.environment ?? own.environment;
      assertManages(own, environment);
      assertHolds(own, request.scopes);
      const holdings = requestedHoldings(takenOver(own, request.tier), request, this.providerOf(environment));
      assertGrants(own, holdings);
      const key = generateKey(environment);
      const row = keys.create({
        ...holdings,
        id: newUuid(now),
        environment,
        name: request.name,
        digest: digestKey(this.secrets.pepper, key),
        lastFour: key.slice(-4),
        scopes: [...new Set(request.scopes)],
        createdBy: own.id,
        createdAt: new Date(now),
      });
      await keys.insert(row);
      return { ...this.shown(row, now), key };
    });
  }

  private providerOf(environment: Environment): AiProviderName {
    return this.settings.of(environment).ai.provider;
  }

  list(caller: Pick<Caller, 'environment' | 'scopes'>, query: ApiKeyListQuery): Promise<Page<ApiKeyDto>> {
    const now = this.clock.date();
    const managed = managedEnvironments(caller);
    const where = {
      environment: In(managed.filter((environment) => (query.environment ?? environment) === environment)),
      ...(query.status && WITH_STATUS[query.status](now)),
      ...createdWithin(query),
    };
    const sort = parseSort(query.sort ?? '-created_at', SORTABLE);
    return findPage(this.keys, { where, sort, query }, (key) => this.shown(key, now.getTime()));
  }

  /** @throws ApiError RESOURCE_NOT_FOUND */
  async read(caller: Pick<Caller, 'environment' | 'scopes'>, id: string): Promise<ApiKeyDto> {
    return this.shown(await managedKey(this.keys, caller, id), this.clock.now());
  }

  /** Every instance applies the change within a second. @throws ApiError INVALID_REQUEST for a revoked key */
  update(actor: Actor, id: string, request: UpdateApiKeyDto): Promise<ApiKeyDto> {
    return this.changing(actor, id, async ({ current, own, keys }) => {
      if (current.revokedAt) throw ApiError.malformed('the key is revoked');
      const changes = {
        ...requestedHoldings(current, request, this.providerOf(current.environment)),
        name: request.name ?? current.name,
      };
      if (actor !== OPERATOR && own.id === id && !isAllowedIp(actor.clientIp, changes.allowedIps)) {
        throw ApiError.malformed(`allowed_ips must include the address of this request, ${actor.clientIp}`);
      }
      assertGrants(own, changes);
      const now = this.clock.now();
      await assertNotLastFullKey(current, { ...current, ...changes }, keys, now);
      await keys.update(id, changes);
      return this.shown({ ...current, ...changes }, now);
    });
  }

  /**
   * Gives a key a new value. The present value works on until the grace ends; an older one ends at once. Every instance
   * applies it within a second. @throws ApiError INVALID_REQUEST for an expired or revoked key
   */
  roll(actor: Actor, id: string, graceHours: number): Promise<CreatedApiKeyDto> {
    return this.changing(actor, id, async ({ current, keys }) => {
      const now = this.clock.now();
      const status = statusOf(current, now);
      if (status !== 'active') throw ApiError.malformed(`the key is ${status}`);
      const key = generateKey(current.environment);
      const rolled = {
        digest: digestKey(this.secrets.pepper, key),
        lastFour: key.slice(-4),
        previousEndsAt: graceHours > 0 ? new Date(now + graceHours * HOUR_MS) : null,
      };
      await keys.update(id, {
        ...rolled,
        previousDigest: graceHours > 0 ? () => 'digest' : null,
        retiredDigests: () => 'array_append(retired_digests, digest)',
      });
      return { ...this.shown({ ...current, ...rolled }, now), key };
    });
  }

  /** Idempotent. Every instance applies the change within a second. */
  revoke(actor: Actor, id: string): Promise<RevokedApiKeyDto> {
    return this.changing(actor, id, async ({ current, keys }) => {
      let { revokedAt } = current;
      if (!revokedAt) {
        revokedAt = this.clock.date();
        await assertNotLastFullKey(current, { ...current, revokedAt }, keys, revokedAt.getTime());
        await keys.update(id, { revokedAt });
      }
      return { id: toPublicId('api_key', id), status: 'revoked', revoked_at: revokedAt.toISOString() };
    });
  }

  private async changing<T>(actor: Actor, id: string, change: (on: Change) => Promise<T>): Promise<T> {
    const changed = await this.underLock(actor, async (own, keys, manager) => {
      const current = await managedKey(keys, own, id);
      assertMayChange(own, current);
      const result = await change({ current, own, keys });
      await announce(manager, KEYS_CHANGED, id);
      return result;
    });
    this.cache.forget();
    return changed;
  }

  /**
   * Changes of keys run one at a time: two that each leave the other as the last `*` key must not both succeed, and the
   * change before may have ended or restricted the caller, which is therefore judged again.
   */
  private underLock<T>(
    actor: Actor,
    change: (own: ApiKeyEntity, keys: Repository<ApiKeyEntity>, manager: EntityManager) => Promise<T>,
  ): Promise<T> {
    return this.keys.manager.transaction(async (manager) => {
      await lockForTransaction(manager, 'apiKeys');
      const keys = manager.withRepository(this.keys);
      return change(await this.keyOf(actor, keys), keys, manager);
    });
  }

  private shown(key: ApiKeyEntity, now: number): ApiKeyDto {
    return toKeyRecord(key, now, this.settings.of(key.environment).ai.provider);
  }

  private async keyOf(actor: Actor, keys: Repository<ApiKeyEntity>): Promise<ApiKeyEntity> {
    // The operator holds everything.
    if (actor === OPERATOR)
      return keys.create({ ...PLAIN, id: CREATORS.cli, environment: 'live', scopes: ['*'], tier: 'elite' });
    const digest = digestKey(this.secrets.pepper, actor.text);
    const now = this.clock.date();
    const own = await keys.findOneBy([{ digest }, { previousDigest: digest, previousEndsAt: MoreThan(now) }]);
    if (!own) throw ApiError.invalidKey();
    assertAdmitted(own, actor.clientIp, now.getTime());
    return own;
  }
}
