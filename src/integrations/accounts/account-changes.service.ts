import { Injectable, Logger } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { toPublicId, type Environment, type Platform } from '#contracts';
import { ConnectionError, type LiveAdapter, type OtherAccount } from '#platforms';
import { AccountStore, exists, type AccountChange } from '../../accounts/account-store.service';
import { Accounts } from '../../accounts/accounts.service';
import type { AccountChangeDto, NewAccountDto } from '../../accounts/dto/account-request.dto';
import type { AccountEntity } from '../../accounts/entities/account.entity';
import { Configuration } from '../../core/config/configuration';
import { DirectUrl } from '../../core/database/connections/direct-connection';
import { databaseLog, finishSchema } from '../../core/database/data-source';
import { migrationsTable } from '../../core/database/migrations/applied-migrations';
import { assertNoAiBudget } from '../../core/http/ai-budget-rule';
import { ApiError } from '../../core/http/lifecycle/api-error';
import type { Caller } from '../../core/http/lifecycle/request-context';
import type { IntegrationDto } from '../dto/integration.dto';
import { Integrations, notConnected } from '../integrations.service';
import { Adapters } from '../platforms/adapters.service';
import { credentialsFault, externalIdOf } from './credentials';

/** How long a platform may take to say whom credentials are of, in milliseconds. */
const CHECK_MS = 15_000;

/** Adds, changes and removes accounts, on all instances within seconds. */
@Injectable()
export class AccountChanges {
  private readonly logger = new Logger(AccountChanges.name);

  constructor(
    private readonly accounts: Accounts,
    private readonly store: AccountStore,
    private readonly adapters: Adapters,
    private readonly integrations: Integrations,
    private readonly configuration: Configuration,
    private readonly dataSource: DataSource,
    private readonly directUrl: DirectUrl,
  ) {}

  /** @throws ApiError INVALID_PARAMETER, INVALID_REQUEST, PLATFORM_NOT_CONNECTED */
  async add({ environment }: Caller, { platform, name, credentials }: NewAccountDto): Promise<IntegrationDto> {
    const externalId = await this.check(environment, platform, credentials);
    if (externalId !== null && this.ownId(environment, platform) === externalId) throw exists(platform);
    const former = this.accounts.known({ environment, platform }).find((one) => one.externalId === externalId);
    await this.assertFinished(environment, platform, externalId === null ? undefined : former?.id);
    return this.applied(await this.store.create({ environment, platform, name, credentials, externalId }));
  }

  /** @throws ApiError as `add` does, RESOURCE_NOT_FOUND, and INSUFFICIENT_PERMISSIONS for settings with an AI budget */
  async change(caller: Caller, id: string, request: AccountChangeDto): Promise<IntegrationDto> {
    const account = this.find(caller.environment, id);
    const { credentials, enabled, is_default: isDefault, settings } = request;
    if (settings) assertNoAiBudget(caller, 'change the settings of an account');
    if (account.source === 'environment' && (credentials !== undefined || enabled !== undefined))
      throw ApiError.malformed(
        'the account comes from variables of the environment: its credentials are changed there',
      );
    if (isDefault === false && this.accounts.defaultOf(account)?.id === id)
      throw ApiError.invalidParameter('is_default', 'must be true: make another account the default instead', false);
    if (credentials) await this.assertSame(account, credentials);
    const change: AccountChange = {
      ...(request.name !== undefined && { name: request.name }),
      ...(credentials && { credentials }),
      ...(enabled !== undefined && { enabled }),
      ...(isDefault && { isDefault }),
      ...(settings && { settings }),
    };
    return this.applied(await this.store.update(account, change));
  }

  /** Its conversations stay. @throws ApiError RESOURCE_NOT_FOUND, INVALID_REQUEST */
  async remove({ environment }: Caller, id: string): Promise<{ id: string; deleted: true }> {
    const account = this.find(environment, id);
    if (account.source === 'environment')
      throw ApiError.malformed('the account comes from variables of the environment: remove them there');
    await this.store.delete(account);
    await this.adapters.sync();
    return { id: toPublicId('account', id), deleted: true };
  }

  /** @throws ApiError RESOURCE_NOT_FOUND */
  find(environment: Environment, id: string): AccountEntity {
    const account = this.accounts.byId(environment, id);
    if (!account) throw ApiError.notFound('account', toPublicId('account', id));
    return account;
  }

  private async applied(account: AccountEntity): Promise<IntegrationDto> {
    await this.adapters.sync();
    return this.integrations.item(account);
  }

  private async assertSame(account: AccountEntity, credentials: Record<string, string>): Promise<void> {
    const externalId = await this.check(account.environment, account.platform, credentials);
    if (externalId === null || account.externalId === null || externalId === account.externalId) return;
    throw ApiError.invalidParameter('credentials', 'must be of the same bot or number');
  }

  /** Asks the platform whom the credentials are of. The sandbox accepts all. @returns the id of the bot or number */
  private async check(
    environment: Environment,
    platform: Platform,
    credentials: Record<string, string>,
  ): Promise<string | null> {
    if (environment === 'test') return externalIdOf(platform, credentials) ?? null;
    const fault = credentialsFault(platform, credentials);
    if (fault) throw fault;
    const other = { id: 'new', credentials } as unknown as OtherAccount<Platform>;
    const adapter = await this.adapters.maker(platform).another(other);
    try {
      return (await adapter.identity(AbortSignal.timeout(CHECK_MS))).externalId;
    } catch (error) {
      throw this.refusal(platform, error);
    } finally {
      await adapter.close().catch(() => undefined);
    }
  }

  private refusal(platform: Platform, error: unknown): ApiError {
    if (error instanceof ConnectionError && error.fatal)
      return ApiError.invalidParameter(
        'credentials',
        `are refused by the platform: ${error.message.replace(/\.$/, '')}`,
      );
    if (!(error instanceof ConnectionError)) this.logger.warn({ err: error }, 'Credentials could not be checked');
    const reason = error instanceof ConnectionError ? error.message : 'the platform did not answer';
    return notConnected(platform, 'disconnected', reason);
  }

  /** The id of the bot or number that the variables of the environment name. */
  private ownId(environment: Environment, platform: Platform): string | undefined {
    const adapter: LiveAdapter = this.adapters.maker(platform);
    return environment === 'live' && adapter.unconfigured === undefined ? adapter.externalId : undefined;
  }

  private async assertFinished(environment: Environment, platform: Platform, formerId?: string): Promise<void> {
    if (!(await this.store.needsFinishedSchema(environment, platform, formerId))) return;
    if ((await migrationsTable(this.dataSource)).isFinished) return;
    if (this.configuration.databaseUrl !== undefined)
      throw ApiError.malformed(
        `${platform} has an account, and a further one needs the finished schema: stop older versions, then run "gateway migrate --finish"`,
      );
    // No other process uses the embedded database, so no older version does.
    await finishSchema(this.directUrl.value, databaseLog(this.logger));
  }
}
