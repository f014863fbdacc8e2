import { ArrayContains, IsNull, Not, type Repository } from 'typeorm';
import { ApiError } from '../../core/http/lifecycle/api-error';
import type { ApiKeyEntity } from '../entities/api-key.entity';
import { statusOf } from '../key-record';
import { isUnrestricted } from './grants';

/** How much a key can do for its environment. Nothing but a key of the highest level can free another one. */
const LEVELS = ['none', 'full until it expires', 'full', 'full and unrestricted'] as const;

/**
 * A request may not take away the last key of a level: without an unrestricted `*` key, only the command line could give the
 * environment another. A key with an expiry does not stand in for one without.
 * @throws ApiError INVALID_REQUEST
 */
export async function assertNotLastFullKey(
  current: ApiKeyEntity,
  next: ApiKeyEntity,
  keys: Repository<ApiKeyEntity>,
  now: number,
): Promise<void> {
  // A change that ends the key later is judged at that end.
  const at = next.revokedAt ? now : Math.max(now, next.expiresAt?.getTime() ?? now);
  const level = levelOf(current, at);
  if (levelOf(next, at) >= level) return;
  const others = await keys.findBy({
    environment: current.environment,
    id: Not(current.id),
    scopes: ArrayContains(['*']),
    revokedAt: IsNull(),
  });
  if (others.some((other) => levelOf(other, at) >= level)) return;
  const kind = LEVELS[level] === 'full and unrestricted' ? 'unrestricted active key' : 'active key';
  throw ApiError.malformed(`it is the last ${kind} of the ${current.environment} environment with the scope *`);
}

/** @returns an index of `LEVELS` */
function levelOf(key: ApiKeyEntity, at: number): number {
  if (!key.scopes.includes('*') || statusOf(key, at) !== 'active') return 0;
  if (key.expiresAt) return 1;
  return isUnrestricted(key) ? 3 : 2;
}
