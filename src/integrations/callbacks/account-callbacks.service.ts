import { Injectable } from '@nestjs/common';
import type { Platform } from '#contracts';
import type { CallbackRequest, CallbackResponse, SharedCallback } from '#platforms';
import { InboundSinks } from '../inbound/inbound-sinks.service';
import { Adapters, type LiveAccount } from '../platforms/adapters.service';

const UNAUTHORIZED: ReadonlySet<number> = new Set([401, 403, 404]);

/** Gives callbacks to the accounts that they are for. The secret of an account never admits messages for another account. */
@Injectable()
export class AccountCallbacks {
  constructor(
    private readonly adapters: Adapters,
    private readonly sinks: InboundSinks,
  ) {}

  /** The accounts that a callback may be for. @param account UUID: the callback was posted to the address of that account */
  accounts(platform: Platform, account?: string): LiveAccount[] {
    return this.adapters
      .accounts(platform)
      .filter(
        ({ adapter, accountId }) => adapter.callback !== undefined && (account === undefined || accountId === account),
      );
  }

  /** Accounts whose secret differs from the request's ignore it. */
  async run(
    accounts: readonly LiveAccount[],
    request: CallbackRequest,
    isOwnAddress: boolean,
  ): Promise<CallbackResponse> {
    const authenticated: LiveAccount[] = [];
    const answers: CallbackResponse[] = [];
    for (const account of accounts) {
      const shared = isOwnAddress ? OWN_ADDRESS : sharedBy(accounts, account, authenticated);
      const sink = this.sinks.of(account.adapter.at);
      const answer = await account.adapter.callback!({ ...request, shared }, sink);
      answers.push(answer);
      if (UNAUTHORIZED.has(answer.status)) continue;
      authenticated.push(account);
      // The handshake is one account's.
      if (request.method === 'GET') break;
    }
    const accepted = answers.filter(({ status }) => !UNAUTHORIZED.has(status));
    return accepted.find(({ status }) => status !== 200) ?? accepted[0] ?? answers[0]!;
  }
}

/** At the address of an account, what is for other numbers is dropped. */
const OWN_ADDRESS: SharedCallback = { isUnknown: () => false, takes: () => true };

function sharedBy(
  accounts: readonly LiveAccount[],
  { businessAccountId: own }: LiveAccount,
  earlier: readonly LiveAccount[],
): SharedCallback {
  const numbers = new Set(accounts.map(({ externalId }) => externalId));
  const businesses = new Set(accounts.map(({ businessAccountId }) => businessAccountId));
  const isFirst = () => earlier.length === 0;
  const isTold = (id: string) => earlier.some(({ businessAccountId }) => businessAccountId === id);
  return {
    isUnknown: (number) => isFirst() && !numbers.has(number),
    // A notice without a number is told once: by the first account of its business account, else by the first one.
    takes: (id) => (id !== undefined && businesses.has(id) ? id === own && !isTold(id) : isFirst()),
  };
}
