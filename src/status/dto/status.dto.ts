import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { INTEGRATION_STATUSES, type IntegrationStatus } from '#contracts';
import { VERSION } from '../../core/version';
import { BooleanField } from '../../core/validation/fields/word-fields.decorator';
import { DirectionsDto } from '../../integrations/dto/direction.dto';
import { HEALTH_WORDS, type Health } from '../component-health.service';

export class StatusQuery {
  @BooleanField({ optional: true, description: 'The shorter form: each integration is a bare status word.' })
  summary: boolean = false;
}

export class ComponentsDto {
  @ApiProperty({
    enum: HEALTH_WORDS,
    description: 'The database: unhealthy while it does not answer, or takes no writes.',
  })
  database!: Health;

  @ApiProperty({ enum: HEALTH_WORDS, description: 'Redis; healthy, in process, where none is configured.' })
  cache!: Health;

  @ApiProperty({ enum: HEALTH_WORDS, description: 'The AI provider, judged by the latest calls.' })
  ai_provider!: Health;

  @ApiProperty({
    enum: HEALTH_WORDS,
    description:
      'Work that is due (replies, sends, deliveries, mail). Degraded when a piece has failed five times in a row by a fault ' +
      'of the gateway itself, or has been overdue for 60 s.',
  })
  workers!: Health;
}

export class IntegrationStateDto extends DirectionsDto {
  @ApiProperty({ enum: INTEGRATION_STATUSES, description: 'Whether the platform is connected.' })
  status!: IntegrationStatus;

  @ApiPropertyOptional({ description: 'WhatsApp: our phone number.' })
  phone?: string;

  @ApiPropertyOptional({ description: "Telegram and Discord: our bot's user name.", example: 'acme_bot' })
  bot_username?: string;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'When the newest message was stored; null if none.',
  })
  last_message!: string | null;

  @ApiPropertyOptional({ description: 'Why it is not connected.' })
  error?: string;
}

export class HeldWorkDto {
  @ApiProperty({ type: 'integer', example: 0, description: 'Webhook deliveries.', minimum: 0 })
  deliveries!: number;

  @ApiProperty({ type: 'integer', example: 0, description: 'Mails to the owner.', minimum: 0 })
  mails!: number;
}

export class ResourcesDto {
  @ApiProperty({ example: 12.5, description: 'Processors of this machine in use.', minimum: 0, maximum: 100 })
  cpu_percent!: number;

  @ApiProperty({ example: 48.2, description: 'Memory in use.', minimum: 0, maximum: 100 })
  memory_percent!: number;

  @ApiProperty({ example: 31.7, description: 'Disk of the data directory in use.', minimum: 0, maximum: 100 })
  disk_percent!: number;
}

const NOTHING_YET = { last_success_at: null, last_error_at: null, last_error_code: null, last_error: null };
const NOT_CONFIGURED: IntegrationStateDto = {
  status: 'disconnected',
  last_message: null,
  error: 'not configured',
  receiving: { ...NOTHING_YET, backlog: null },
  sending: NOTHING_YET,
};
const CONNECTED: IntegrationStateDto = {
  status: 'connected',
  bot_username: 'acme_bot',
  last_message: '2026-01-31T11:58:21.034Z',
  receiving: { ...NOTHING_YET, last_success_at: '2026-01-31T11:59:47.310Z', backlog: 0 },
  sending: { ...NOTHING_YET, last_success_at: '2026-01-31T11:58:21.102Z' },
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
    description: 'Processes of this instance that serve requests (WORKERS).',
    example: 1,
  })
  workers_running!: number;

  @ApiProperty({ description: 'The parts.' })
  components!: ComponentsDto;

  @ApiProperty({
    type: 'object',
    additionalProperties: {
      oneOf: [
        { $ref: '#/components/schemas/IntegrationStateDto' },
        { type: 'string', enum: [...INTEGRATION_STATUSES] },
      ],
    },
    description: 'By platform; with `summary`, bare status words.',
    example: { whatsapp: NOT_CONFIGURED, telegram: CONNECTED, discord: NOT_CONFIGURED },
  })
  integrations!: Record<string, IntegrationStateDto | IntegrationStatus>;

  @ApiProperty({
    description:
      'Work of this environment that was due when a backup was made and is held since its restore. `gateway webhooks resume` releases the work.',
  })
  held!: HeldWorkDto;

  @ApiProperty({ description: 'What this machine has left.' })
  resources!: ResourcesDto;
}
