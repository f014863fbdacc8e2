import { GatewayError } from '#client';
import { gatewayWith } from '../api/gateway';
import { environmentOf, masked, type Scope } from './session';

const WELL_FORMED = /^service_sk_(live|test)_[A-Za-z0-9]{32}$/;

export function isWellFormed(key: string): boolean {
  return WELL_FORMED.test(key);
}

/**
 * Finds the scopes of a key with one request, a list of keys. If the key may not list keys, the error names its scopes; else the
 * key is in the list.
 * @returns undefined if the list has no unambiguous entry of the key
 * @throws GatewayError if the gateway does not accept the key
 */
export async function scopesOf(key: string): Promise<readonly Scope[] | undefined> {
  try {
    const environment = environmentOf(key);
    const { data } = await gatewayWith(key).apiKeys.list({ per_page: 100, status: 'active', environment });
    const own = data.filter(({ masked_key }) => masked_key === masked(key)).map(({ scopes }) => scopes);
    // Several keys may have the same last four characters.
    return new Set(own.map((scopes) => scopes.join())).size === 1 ? own[0] : undefined;
  } catch (error) {
    if (error instanceof GatewayError && error.is('INSUFFICIENT_PERMISSIONS'))
      return error.details.key_scopes as Scope[];
    throw error;
  }
}
