import type { FastifyRequest } from 'fastify';
import type { Caller } from './lifecycle/request-context';

/** Checks the credentials of a request. `api-keys` provides it, which `core` does not import. */
export abstract class CredentialsCheck {
  /**
   * Sets `request.gateway.caller` when the key is known, even if it then refuses the key.
   * @returns a promise only if it has to ask the database
   * @throws ApiError INVALID_API_KEY, API_KEY_EXPIRED or IP_NOT_ALLOWED
   */
  abstract check(request: FastifyRequest): void | Promise<void>;

  /**
   * As `check`, but by the row in memory, if it was checked within the last minute.
   * @returns whether there is such a row
   */
  abstract checkLastKnown(request: FastifyRequest): boolean;

  /**
   * The key of credentials, if it is in memory and neither revoked nor expired. It does not ask the database, so no request
   * may be admitted by it.
   */
  abstract cached(credentials: string): Caller | undefined;
}
