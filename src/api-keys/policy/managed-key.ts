import { In, type Repository } from 'typeorm';
import { toPublicId } from '#contracts';
import { ApiError } from '../../core/http/lifecycle/api-error';
import type { Caller } from '../../core/http/lifecycle/request-context';
import type { ApiKeyEntity } from '../entities/api-key.entity';
import { managedEnvironments } from './grants';

/** A key that the caller may see and manage. @throws ApiError RESOURCE_NOT_FOUND */
export async function managedKey(
  keys: Repository<ApiKeyEntity>,
  caller: Pick<Caller, 'environment' | 'scopes'>,
  id: string,
): Promise<ApiKeyEntity> {
  const key = await keys.findOneBy({ id, environment: In(managedEnvironments(caller)) });
  if (!key) throw ApiError.notFound('api_key', toPublicId('api_key', id));
  return key;
}
