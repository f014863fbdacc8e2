import { hash } from 'node:crypto';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Database } from '../core/database/database.service';
import { DatabaseListener } from '../core/database/database-listener.service';
import type { Caller } from '../core/http/lifecycle/request-context';
import type { Window } from '../core/rate-limiting/limit';
import { DeploymentSecrets } from '../core/secrets/deployment-secrets';
import type { ApiKeyEntity } from './entities/api-key.entity';
import { aiBudgetOf } from './policy/ai-budget';
import { digestKey } from './key-format';
import { windowsOf } from './policy/tiers';
import { FIND_KEY } from './api-key.rows';

/** The topic that announces a change of any key. */
export const KEYS_CHANGED = 'api_keys';

/** The credentials name no key. */
export const UNKNOWN = 'unknown';

/** Credentials that name no key are remembered for this long, in milliseconds. */
export const UNKNOWN_MS = 1_000;

/** A cached row may be this old, in milliseconds, counted from the last proof that the listener missed nothing. */
const CACHE_VALID_MS = 900;

/** While the database is unavailable, a cached row counts for this long, in milliseconds. */
export const LAST_KNOWN_MS = 60_000;

type KeyRow = ApiKeyEntity & Pick<CachedApiKey, 'valueEndsAt'>;

/** An existing key. */
export interface CachedApiKey extends Caller {
  allowedIps: readonly string[];
  windows: Window[];
  expiresAt: Date | null;
  /** When the presented value stops working because a roll has replaced it; null: it is the current value. */
  valueEndsAt: Date | null;
  revokedAt: Date | null;
}

/** The keys in memory. While the listener is proven to hear changes by other instances, `cached` costs one hash and no round trip. */
@Injectable()
export class ApiKeyCache implements OnModuleInit {
  private readonly cache = new LRUCache<string, { key: CachedApiKey; epoch: number }>({ max: 10_000 });
  private readonly unknown = new LRUCache<string, true>({ max: 10_000, ttl: UNKNOWN_MS });
  /** Every change that was announced, or may have been, raises it: a row read before it must not be cached after it. */
  private epoch = 0;
  /** When announcements may have been missed, by `performance.now()`. */
  private missedAt = -Infinity;

  constructor(
    private readonly database: Database,
    private readonly listener: DatabaseListener,
    private readonly secrets: DeploymentSecrets,
  ) {}

  onModuleInit(): void {
    this.listener.follow(KEYS_CHANGED, (change) => (change === undefined ? this.expireAll() : this.forget()));
  }

  /** To be called after the commit of a change that this instance made: it need not wait for its own announcement. */
  forget(): void {
    this.expireAll();
    this.cache.clear();
  }

  /** After this, each key is looked up again. Its row stays known: the connections of the look-up may be lost too. */
  private expireAll(): void {
    this.epoch += 1;
    this.missedAt = performance.now();
    this.unknown.clear();
  }

  /** The cached key; undefined: a look-up is needed. */
  cached(key: string): CachedApiKey | typeof UNKNOWN | undefined {
    const name = nameOf(key);
    const cached = this.listener.isAliveWithin(CACHE_VALID_MS) ? this.cache.get(name) : undefined;
    if (cached?.epoch === this.epoch) return cached.key;
    return this.unknown.has(name) ? UNKNOWN : undefined;
  }

  /** The row, if it was read or proven unchanged within the last minute. For an outage. */
  lastKnown(key: string): CachedApiKey | undefined {
    const cached = this.listener.isAliveWithin(LAST_KNOWN_MS) ? this.cache.get(nameOf(key)) : undefined;
    const isRecent = cached?.epoch === this.epoch || performance.now() - this.missedAt <= LAST_KNOWN_MS;
    return isRecent ? cached?.key : undefined;
  }

  /** Asks the database. */
  async lookUp(key: string): Promise<CachedApiKey | typeof UNKNOWN> {
    const { epoch } = this;
    const [row] = await this.database.query<KeyRow>(FIND_KEY, [digestKey(this.secrets.pepper, key)]);
    const known = row && toCachedKey(row);
    if (epoch === this.epoch) {
      if (known) this.cache.set(nameOf(key), { key: known, epoch });
      else {
        this.cache.delete(nameOf(key));
        this.unknown.set(nameOf(key), true);
      }
    }
    return known ?? UNKNOWN;
  }
}

/** A key is random, so its name in memory needs no pepper: the HMAC costs forty times as much as the hash. */
function nameOf(key: string): string {
  return hash('sha256', key, 'base64');
}

function toCachedKey(row: KeyRow): CachedApiKey {
  return {
    keyId: row.id,
    environment: row.environment,
    scopes: row.scopes,
    aiBudget: aiBudgetOf(row),
    aiModels: row.aiModels,
    allowedIps: row.allowedIps,
    windows: windowsOf(row),
    expiresAt: row.expiresAt,
    valueEndsAt: row.valueEndsAt,
    revokedAt: row.revokedAt,
  };
}
