import { Body, Controller, Delete, Get, HttpCode, Patch, Post } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { AccountChangeDto, NewAccountDto } from '../accounts/dto/account-request.dto';
import { DeletedAccountDto } from '../accounts/dto/deleted-account.dto';
import { ApiExamples } from '../core/openapi/api-examples.decorator';
import { IdParam } from '../core/validation/id-param.decorator';
import { CurrentCaller, RequireScope } from '../core/http/access.decorator';
import { ApiEnvelope } from '../core/openapi/api-envelope.decorator';
import { ApiErrors } from '../core/openapi/api-errors.decorator';
import { DocumentedParam } from '../core/openapi/documented-param.decorator';
import type { Caller } from '../core/http/lifecycle/request-context';
import { IntegrationDto, ReconnectionDto } from './dto/integration.dto';
import { Integrations } from './integrations.service';
import { AccountChanges } from './accounts/account-changes.service';
import { PlatformOrAccountPipe, type PlatformOrAccount } from './platform-or-account.pipe';

/** A platform by its name or alias, or an account by its id. */
const PlatformParam = () =>
  DocumentedParam(
    'platform',
    {
      description: 'Name of the platform (`the service` is an alias for `telegram`), or id of an account.',
      schema: { type: 'string', pattern: '^[a-z][a-z0-9_ ]{1,39}$', example: 'telegram' },
    },
    PlatformOrAccountPipe,
  );
const AccountId = () => IdParam('account_id', 'account', 'Id of the account.');

@ApiTags('Integrations')
@Controller({ path: 'integrations', version: '1' })
export class IntegrationsController {
  constructor(
    private readonly integrations: Integrations,
    private readonly changes: AccountChanges,
  ) {}

  @Get()
  @RequireScope('read:status')
  @ApiOperation({
    summary: 'List the integrations',
    description:
      'Returns an item for each account, with its connection status and the health of receiving and sending. A platform without an account has an item without an id.',
  })
  @ApiEnvelope(IntegrationDto, { array: true })
  list(@CurrentCaller() { environment }: Caller) {
    return this.integrations.list(environment);
  }

  @Post()
  @RequireScope('admin:settings')
  @ApiOperation({
    summary: 'Add an account',
    description:
      'Adds a bot or number. Its credentials are checked with the platform first; all instances connect it within 5 seconds. A deleted account of the same bot or number comes back with its conversations. A second account of a platform needs the finished schema (`gateway migrate --finish`).',
  })
  @ApiExamples({
    telegram: {
      summary: 'A bot of Telegram',
      value: {
        platform: 'telegram',
        name: 'Shop',
        credentials: { bot_token: '7012345678:AAH9b3uX2Yk1s5Zc8vQ0wE4rT6yU7iO8pA' },
      },
    },
  })
  @ApiEnvelope(IntegrationDto, { status: 201 })
  @ApiErrors('PLATFORM_NOT_CONNECTED')
  create(@CurrentCaller() caller: Caller, @Body() account: NewAccountDto) {
    return this.changes.add(caller, account);
  }

  @Patch(':account_id')
  @RequireScope('admin:settings')
  @ApiOperation({
    summary: 'Change an account',
    description:
      'Changes name, credentials, settings, the default, or whether the account is connected. Credentials are replaced as a whole; settings merge, and null inherits. Of the account of the environment only name, settings and default can be changed.',
  })
  @ApiExamples({
    token: {
      summary: 'New token of the same bot',
      value: { credentials: { bot_token: '7012345678:BBH9b3uX2Yk1s5Zc8vQ0wE4rT6yU7iO8pA' } },
    },
    settings: { summary: 'A prompt of its own', value: { settings: { ai: { system_prompt: 'Answer in French.' } } } },
  })
  @ApiEnvelope(IntegrationDto)
  @ApiErrors('PLATFORM_NOT_CONNECTED')
  update(@CurrentCaller() caller: Caller, @AccountId() id: string, @Body() change: AccountChangeDto) {
    return this.changes.change(caller, id, change);
  }

  @Delete(':account_id')
  @RequireScope('admin:settings')
  @ApiOperation({
    summary: 'Delete an account',
    description:
      'Disconnects the account and removes its credentials. Its conversations stay; sends in them get PLATFORM_NOT_CONNECTED. The oldest account becomes the default if this one was it.',
  })
  @ApiEnvelope(DeletedAccountDto)
  delete(@CurrentCaller() caller: Caller, @AccountId() id: string) {
    return this.changes.remove(caller, id);
  }

  @Post(':platform/reconnect')
  @HttpCode(200)
  @RequireScope('admin:settings')
  @ApiOperation({
    summary: 'Reconnect an integration',
    description:
      'Closes the connections of all accounts of a platform, or of one account, and opens new ones. If the platform is reconnecting already, the call only ends the pause before the next attempt.',
  })
  @ApiEnvelope(ReconnectionDto)
  @ApiErrors('PLATFORM_NOT_CONNECTED')
  reconnect(@CurrentCaller() { environment }: Caller, @PlatformParam() named: PlatformOrAccount) {
    if ('platform' in named) return this.integrations.reconnect(environment, named.platform);
    const account = this.changes.find(environment, named.accountId);
    return this.integrations.reconnect(environment, account.platform, account);
  }
}
