import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { INTEGRATION_STATUSES, type IntegrationStatus } from '#contracts';
import { ApiId } from '../../core/openapi/api-id.decorator';
import { VERSION } from '../../core/version';
import { BooleanField } from '../../core/validation/fields/word-fields.decorator';
import { DirectionsDto } from '../../integrations/dto/direction.dto';
import { HEALTH_WORDS, type Health } from '../component-health.service';

export class StatusQuery {
  @BooleanField({
    optional: true,
    description: 'True for the short form, in which each integration is only a status word.',
  })
  summary: boolean = false;
}

export class ComponentsDto {
  @ApiProperty({
    enum: HEALTH_WORDS,
    description: 'Database; unhealthy while it does not respond or accepts no writes.',
  })
  database!: Health;

  @ApiProperty({ enum: HEALTH_WORDS, description: 'Redis; healthy if none is configured.' })
  cache!: Health;

  @ApiProperty({ enum: HEALTH_WORDS, description: 'AI provider, judged by the latest calls.' })
  ai_provider!: Health;

  @ApiProperty({
    enum: HEALTH_WORDS,
    description:
      'Background work (replies, sends, deliveries, mail). Degraded if an item has failed five times in a row because of the gateway itself, or is overdue by 60 seconds.',
  })
  workers!: Health;
}

export class AccountStateDto {
  @ApiId('account', 'Id of the account.')
  id!: string;

  @ApiProperty({ description: 'Name of the account.', example: 'default' })
  name!: string;

  @ApiProperty({ enum: INTEGRATION_STATUSES, description: 'Connection status of the account.' })
  status!: IntegrationStatus;

  @ApiProperty({ description: 'Whether it is the default account, which the platform shows.', example: true })
  is_default!: boolean;

  @ApiPropertyOptional({ description: 'Why the account is not connected.' })
  error?: string;
}

/** The default account of a platform. */
export class IntegrationStateDto extends DirectionsDto {
  @ApiProperty({ enum: INTEGRATION_STATUSES, description: 'Connection status of the platform.' })
  status!: IntegrationStatus;

  @ApiPropertyOptional({ description: 'WhatsApp: phone number of the account.' })
  phone?: string;

  @ApiPropertyOptional({ description: 'Telegram and Discord: username of the bot.', example: 'acme_bot' })
  bot_username?: string;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'When the newest message was stored; null if there is none.',
  })
  last_message!: string | null;

  @ApiPropertyOptional({ description: 'Why the platform is not connected.' })
  error?: string;

  @ApiProperty({ type: [AccountStateDto], description: 'All accounts of the platform.' })
  accounts!: AccountStateDto[];
}

export class HeldWorkDto {
  @ApiProperty({ type: 'integer', example: 0, description: 'Number of held webhook deliveries.', minimum: 0 })
  deliveries!: number;

  @ApiProperty({ type: 'integer', example: 0, description: 'Number of held mails to the owner.', minimum: 0 })
  mails!: number;
}

export class ResourcesDto {
  @ApiProperty({ example: 12.5, description: 'CPU usage of this machine, in percent.', minimum: 0, maximum: 100 })
  cpu_percent!: number;

  @ApiProperty({ example: 48.2, description: 'Memory usage, in percent.', minimum: 0, maximum: 100 })
  memory_percent!: number;

  @ApiProperty({
    example: 31.7,
    description: 'Usage of the disk with the data directory, in percent.',
    minimum: 0,
    maximum: 100,
  })
  disk_percent!: number;
}

const NOTHING_YET = { last_success_at: null, last_error_at: null, last_error_code: null, last_error: null };
const NOT_CONFIGURED: IntegrationStateDto = {
  status: 'disconnected',
  last_message: null,
  error: 'not configured',
  receiving: { ...NOTHING_YET, backlog: null },
  sending: NOTHING_YET,
  accounts: [],
};
const CONNECTED: IntegrationStateDto = {
  status: 'connected',
  bot_username: 'acme_bot',
  last_message: '2026-01-31T11:58:21.034Z',
  receiving: { ...NOTHING_YET, last_success_at: '2026-01-31T11:59:47.310Z', backlog: 0 },
  sending: { ...NOTHING_YET, last_success_at: '2026-01-31T11:58:21.102Z' },
  accounts: [{ id: 'acc_01h455vb4pex5vsknk084sn02q', name: 'default', status: 'connected', is_default: true }],
};

export class StatusDto {
  @ApiProperty({ enum: HEALTH_WORDS, description: 'Overall.' })
  status!: Health;

  @ApiProperty({ description: 'Version of the service.', example: VERSION })
  version!: string;

  @ApiProperty({ type: 'integer', description: 'Seconds since this instance started.', example: 86_400 })
  uptime_seconds!: number;

  @ApiProperty({
    type: 'integer',
    description: 'Number of processes of this instance that serve requests (WORKERS).',
    example: 1,
  })
  workers_running!: number;

  @ApiProperty({ description: 'Components of the gateway.' })
  components!: ComponentsDto;

  @ApiProperty({
    type: 'object',
    additionalProperties: {
      oneOf: [
        { $ref: '#/components/schemas/IntegrationStateDto' },
        { type: 'string', enum: [...INTEGRATION_STATUSES] },
      ],
    },
    description: 'Integrations by platform; with `summary`, only their status words.',
    example: { whatsapp: NOT_CONFIGURED, telegram: CONNECTED, discord: NOT_CONFIGURED },
  })
  integrations!: Record<string, IntegrationStateDto | IntegrationStatus>;

  @ApiProperty({
    description:
      'Work of this environment that was due when a backup was made, and is held since its restore. `gateway webhooks resume` releases it.',
  })
  held!: HeldWorkDto;

  @ApiProperty({ description: 'Resource usage of this machine.' })
  resources!: ResourcesDto;
}
