import { Injectable } from '@nestjs/common';
import type { AccountKey, Environment, Platform } from '#contracts';
import { Accounts } from '../accounts/accounts.service';
import { accountKey } from '../accounts/entities/account.entity';
import { Database } from '../core/database/database.service';
import { ApiError } from '../core/http/lifecycle/api-error';
import { Adapters } from '../integrations/platforms/adapters.service';
import { NEWEST_ACCOUNT } from './send/outbound.rows';

/** The part of a request that decides which account sends. */
interface Request {
  platform: Platform;
  recipient: string;
  account?: string;
}

/** Chooses the account that sends a message. */
@Injectable()
export class SendingAccounts {
  constructor(
    private readonly accounts: Accounts,
    private readonly adapters: Adapters,
    private readonly database: Database,
  ) {}

  /**
   * The named account, else that of the newest conversation with the recipient, else the default.
   * @throws ApiError INVALID_PARAMETER for an account that the platform never had
   */
  async of(environment: Environment, request: Request): Promise<AccountKey> {
    const { platform, recipient } = request;
    const known = this.known(environment, request);
    if (known) return known;
    const at = { environment, platform };
    const fallback = this.fallback(at);
    const participantId = this.adapters.of(fallback).participantId(recipient);
    const keys = this.accounts.known(at).map((account) => accountKey(account));
    const values = [environment, platform, participantId, keys];
    const [newest] = await this.database.query<{ account: string }>(NEWEST_ACCOUNT, values);
    return newest ? { ...at, ...newest } : fallback;
  }

  /** The account, unless the conversations must be asked. */
  private known(environment: Environment, { platform, account: word }: Request): AccountKey | undefined {
    const at = { environment, platform };
    if (word === undefined) return this.accounts.known(at).length > 1 ? undefined : this.fallback(at);
    const named = this.accounts.named(at, word);
    if (named) return { ...at, account: accountKey(named) };
    throw ApiError.invalidParameter('account', `must be the id or the name of an account of ${platform}`, word);
  }

  /** The default account. A platform without accounts has that of the environment, which is not connected. */
  private fallback(at: Pick<AccountKey, 'environment' | 'platform'>): AccountKey {
    const account = this.accounts.defaultOf(at) ?? this.accounts.known(at)[0]!;
    return { ...at, account: accountKey(account) };
  }
}
