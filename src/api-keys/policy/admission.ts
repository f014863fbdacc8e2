import { ApiError } from '../../core/http/lifecycle/api-error';
import type { ApiKeyEntity } from '../entities/api-key.entity';
import { isAllowedIp } from './allowed-ips';

type Admitted = Pick<ApiKeyEntity, 'revokedAt' | 'expiresAt'> & { allowedIps: readonly string[] };

/** @throws ApiError INVALID_API_KEY, API_KEY_EXPIRED or IP_NOT_ALLOWED if a known key may not act from the address */
export function assertAdmitted({ revokedAt, expiresAt, allowedIps }: Admitted, clientIp: string, now: number): void {
  if (revokedAt) throw ApiError.invalidKey();
  if (expiresAt && expiresAt.getTime() <= now) {
    throw new ApiError('API_KEY_EXPIRED', { expired_at: expiresAt.toISOString() });
  }
  if (!isAllowedIp(clientIp, allowedIps)) {
    throw new ApiError('IP_NOT_ALLOWED', { request_ip: clientIp, allowed_ips: allowedIps });
  }
}
