import { hash } from 'node:crypto';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { Environment, Scope } from '#contracts';
import { Database, statement } from '../core/database/database.service';
import { DatabaseListener } from '../core/database/database-listener.service';
import type { Window } from '../core/rate-limiting/sliding-window';
import { DeploymentSecrets } from '../core/secrets/deployment-secrets';
import type { ApiKeyEntity } from './entities/api-key.entity';
import { digestKey } from './key-format';
import { windowsOf } from './tiers';

/** The topic that announces a change of any key. */
export const KEYS_CHANGED = 'api_keys';

/** A cached row may be this old, in milliseconds, counted from the last proof that the listener missed nothing. */
const TRUST_MS = 900;

const FIND = statement(
  'api-key-find',
  `SELECT id, environment, scopes, tier, allowed_ips AS "allowedIps", requests_per_minute AS "requestsPerMinute",
     requests_per_hour AS "requestsPerHour", expires_at AS "expiresAt", revoked_at AS "revokedAt"
   FROM api_keys WHERE digest = $1`,
);

/** An existing key. */
export interface CachedApiKey {
  id: string;
  environment: Environment;
  scopes: readonly Scope[];
  allowedIps: readonly string[];
  windows: Window[];
  expiresAt: Date | null;
  isRevoked: boolean;
}

/** Looks up credentials. While the listener is proven to hear changes by other instances, this is one hash and no round trip. */
@Injectable()
export class ApiKeyCache implements OnModuleInit {
  private readonly cache = new LRUCache<string, CachedApiKey>({ max: 10_000 });
  /** Every announced change raises it: a row read before a change must not be cached after it. */
  private epoch = 0;

  constructor(
    private readonly database: Database,
    private readonly listener: DatabaseListener,
    private readonly secrets: DeploymentSecrets,
  ) {}

  onModuleInit(): void {
    const forget = () => {
      this.epoch += 1;
      this.cache.clear();
    };
    this.listener.on(KEYS_CHANGED, forget);
    this.listener.onResync(forget);
  }

  /** @returns a promise only if it has to ask the database */
  find(key: string): CachedApiKey | Promise<CachedApiKey | undefined> {
    // A key is random, so its name in memory needs no pepper: the HMAC costs forty times as much as the hash.
    const name = hash('sha256', key, 'base64');
    if (this.listener.provenWithin(TRUST_MS)) {
      const cached = this.cache.get(name);
      if (cached) return cached;
    }
    return this.read(key, name);
  }

  private async read(key: string, name: string): Promise<CachedApiKey | undefined> {
    const { epoch } = this;
    const [row] = await this.database.read<ApiKeyEntity>(FIND, [digestKey(this.secrets.pepper, key)]);
    if (!row) return undefined;
    const known = toKnownKey(row);
    if (epoch === this.epoch) this.cache.set(name, known);
    return known;
  }
}

function toKnownKey(row: ApiKeyEntity): CachedApiKey {
  return {
    id: row.id,
    environment: row.environment,
    scopes: row.scopes,
    allowedIps: row.allowedIps,
    windows: windowsOf(row),
    expiresAt: row.expiresAt,
    isRevoked: row.revokedAt !== null,
  };
}
