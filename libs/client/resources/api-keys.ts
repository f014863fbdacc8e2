import type { List } from '../list';
import type { RequestOptions } from '../options';
import type { GatewayPromise } from '../response';
import type { Transport } from '../transport/transport';
import type {
  ApiKey,
  ApiKeyUpdateParams,
  ApiKeyListParams,
  ApiKeyRollParams,
  ApiKeyCreateParams,
  ApiKeyUsage,
  ApiKeyUsageParams,
  CreatedApiKey,
  RevokedApiKey,
} from '../types';

export class ApiKeys {
  /** @internal */
  constructor(private readonly transport: Transport) {}

  /** Only this answer contains `key`. */
  create(key: ApiKeyCreateParams, options?: RequestOptions): GatewayPromise<CreatedApiKey> {
    return this.transport.call('post', '/api/v1/admin/api-keys', { body: key }, options);
  }

  list(query?: ApiKeyListParams, options?: RequestOptions): List<ApiKey> {
    return this.transport.list('/api/v1/admin/api-keys', { query }, options, { isDated: true });
  }

  get(keyId: string, options?: RequestOptions): GatewayPromise<ApiKey> {
    return this.transport.call('get', '/api/v1/admin/api-keys/{key_id}', { path: { key_id: keyId } }, options);
  }

  /** The key's requests, refusals and AI costs, by day and model. */
  getUsage(keyId: string, query?: ApiKeyUsageParams, options?: RequestOptions): GatewayPromise<ApiKeyUsage> {
    const input = { path: { key_id: keyId }, query };
    return this.transport.call('get', '/api/v1/admin/api-keys/{key_id}/usage', input, options);
  }

  update(keyId: string, change: ApiKeyUpdateParams, options?: RequestOptions): GatewayPromise<ApiKey> {
    const input = { path: { key_id: keyId }, body: change };
    return this.transport.call('patch', '/api/v1/admin/api-keys/{key_id}', input, options);
  }

  /** Gives a key a new value, which only this answer contains. The old one works for 24 hours by default. */
  roll(keyId: string, request: ApiKeyRollParams = {}, options?: RequestOptions): GatewayPromise<CreatedApiKey> {
    const input = { path: { key_id: keyId }, body: request };
    return this.transport.call('post', '/api/v1/admin/api-keys/{key_id}/roll', input, options);
  }

  /** Revokes a key for ever. */
  revoke(keyId: string, options?: RequestOptions): GatewayPromise<RevokedApiKey> {
    return this.transport.call('delete', '/api/v1/admin/api-keys/{key_id}', { path: { key_id: keyId } }, options);
  }
}
