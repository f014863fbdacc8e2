import { ArrayContains, IsNull, Not, type Repository } from 'typeorm';
import { ApiError } from '../../core/http/lifecycle/api-error';
import type { ApiKeyEntity } from '../entities/api-key.entity';
import { statusOf, WITH_STATUS } from '../key-record';

/**
 * An environment keeps a `*` key: without one, only the database could give it another. A key with an expiry does not count.
 * @param endsAt when the change ends the key
 * @throws ApiError INVALID_REQUEST
 */
export async function assertNotLastFullKey(
  key: ApiKeyEntity,
  endsAt: Date,
  keys: Repository<ApiKeyEntity>,
  now: number,
): Promise<void> {
  if (!key.scopes.includes('*') || statusOf(key, now) !== 'active') return;
  // The change takes nothing away if the key already had an end and the new one is no earlier.
  if (key.expiresAt && endsAt >= key.expiresAt) return;
  const staying = key.expiresAt
    ? WITH_STATUS.active(new Date(Math.max(endsAt.getTime(), now)))
    : { revokedAt: IsNull(), expiresAt: IsNull() };
  const other = { environment: key.environment, id: Not(key.id), scopes: ArrayContains(['*']), ...staying };
  if (await keys.existsBy(other)) return;
  throw ApiError.malformed(`it is the last active key of the ${key.environment} environment with the scope *`);
}
