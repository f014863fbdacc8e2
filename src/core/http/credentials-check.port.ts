import type { FastifyRequest } from 'fastify';

/** Whether the key of a request still opens the gateway to its sender. Provided by `api-keys`, which `core` does not know. */
export abstract class CredentialsCheck {
  /**
   * Sets `request.gateway.caller` once the key is found, also where it is then refused.
   * @returns a promise only where the database has to be asked
   * @throws ApiError INVALID_API_KEY, API_KEY_EXPIRED or IP_NOT_ALLOWED
   */
  abstract check(request: FastifyRequest): void | Promise<void>;
}
