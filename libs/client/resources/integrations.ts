import type { RequestOptions } from '../options';
import type { GatewayPromise } from '../response';
import type { Transport } from '../transport/transport';
import type { AccountCreateParams, AccountUpdateParams, DeletedAccount, Integration, Reconnection } from '../types';

export class Integrations {
  /** @internal */
  constructor(private readonly transport: Transport) {}

  list(options?: RequestOptions): GatewayPromise<Integration[]> {
    return this.transport.call('get', '/api/v1/integrations', {}, options);
  }

  /** Adds an account. Its credentials are checked with the platform first. */
  create(account: AccountCreateParams, options?: RequestOptions): GatewayPromise<Integration> {
    return this.transport.call('post', '/api/v1/integrations', { body: account }, options);
  }

  update(accountId: string, change: AccountUpdateParams, options?: RequestOptions): GatewayPromise<Integration> {
    const input = { path: { account_id: accountId }, body: change };
    return this.transport.call('patch', '/api/v1/integrations/{account_id}', input, options);
  }

  /** Its conversations stay. */
  delete(accountId: string, options?: RequestOptions): GatewayPromise<DeletedAccount> {
    const input = { path: { account_id: accountId } };
    return this.transport.call('delete', '/api/v1/integrations/{account_id}', input, options);
  }

  /** All accounts of a platform, or one by its id. It takes a moment: {@link list} shows the result. */
  reconnect(platform: string, options?: RequestOptions): GatewayPromise<Reconnection> {
    const input = { path: { platform } };
    // A second request while it reconnects starts nothing.
    return this.transport.call('post', '/api/v1/integrations/{platform}/reconnect', input, options, {
      repeatable: true,
    });
  }
}
