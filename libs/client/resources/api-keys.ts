import type { List } from '../list';
import type { RequestOptions } from '../options';
import type { Transport } from '../transport/transport';
import type {
  ApiKey,
  ApiKeyChange,
  ApiKeyQuery,
  ApiKeyRoll,
  ApiKeyToCreate,
  ApiKeyUsage,
  ApiKeyUsageQuery,
  CreatedApiKey,
  RevokedApiKey,
} from '../types';

export class ApiKeys {
  /** @internal */
  constructor(private readonly transport: Transport) {}

  /** Only this answer contains `key`. */
  create(key: ApiKeyToCreate, options?: RequestOptions): Promise<CreatedApiKey> {
    return this.transport.call('post', '/api/v1/admin/api-keys', { body: key }, options);
  }

  list(query?: ApiKeyQuery, options?: RequestOptions): List<ApiKey> {
    return this.transport.list('/api/v1/admin/api-keys', { query }, options, { isDated: true });
  }

  get(keyId: string, options?: RequestOptions): Promise<ApiKey> {
    return this.transport.call('get', '/api/v1/admin/api-keys/{key_id}', { path: { key_id: keyId } }, options);
  }

  /** Its requests, refusals, and what the AI cost, by day and model. */
  usage(keyId: string, query?: ApiKeyUsageQuery, options?: RequestOptions): Promise<ApiKeyUsage> {
    const input = { path: { key_id: keyId }, query };
    return this.transport.call('get', '/api/v1/admin/api-keys/{key_id}/usage', input, options);
  }

  update(keyId: string, change: ApiKeyChange, options?: RequestOptions): Promise<ApiKey> {
    const input = { path: { key_id: keyId }, body: change };
    return this.transport.call('patch', '/api/v1/admin/api-keys/{key_id}', input, options);
  }

  /** Gives a key a new value, which only this answer contains. The old one works on for 24 hours, unless you say otherwise. */
  roll(keyId: string, request: ApiKeyRoll = {}, options?: RequestOptions): Promise<CreatedApiKey> {
    const input = { path: { key_id: keyId }, body: request };
    return this.transport.call('post', '/api/v1/admin/api-keys/{key_id}/roll', input, options);
  }

  /** Revokes a key for ever. */
  revoke(keyId: string, options?: RequestOptions): Promise<RevokedApiKey> {
    return this.transport.call('delete', '/api/v1/admin/api-keys/{key_id}', { path: { key_id: keyId } }, options);
  }
}
