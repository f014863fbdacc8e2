import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { INTEGRATION_STATUSES, type IntegrationStatus } from '#contracts';
import { Flag } from '../../core/http/parameters';
import { HEALTH_WORDS, type Health } from '../components';

export class StatusQuery {
  @ApiPropertyOptional({ default: false, description: 'The shorter form: each integration is a bare status word.' })
  @Flag()
  summary: boolean = false;
}

export class ComponentsDto {
  @ApiProperty({ enum: HEALTH_WORDS, description: 'The database.' })
  database!: Health;

  @ApiProperty({ enum: HEALTH_WORDS, description: 'Redis; healthy, in process, where none is configured.' })
  cache!: Health;

  @ApiProperty({ enum: HEALTH_WORDS, description: 'The AI provider, as the latest calls went.' })
  ai_provider!: Health;
}

export class IntegrationStateDto {
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

export class ResourcesDto {
  @ApiProperty({ description: 'Processors of this machine in use.', minimum: 0, maximum: 100 })
  cpu_percent!: number;

  @ApiProperty({ description: 'Memory in use.', minimum: 0, maximum: 100 })
  memory_percent!: number;

  @ApiProperty({ description: 'Disk of the data directory in use.', minimum: 0, maximum: 100 })
  disk_percent!: number;
}

export class StatusDto {
  @ApiProperty({ enum: HEALTH_WORDS, description: 'Overall.' })
  status!: Health;

  @ApiProperty({ description: 'Version of the service.', example: '1.0.0' })
  version!: string;

  @ApiProperty({ type: 'integer', description: 'Seconds since this instance started.' })
  uptime_seconds!: number;

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
  })
  integrations!: Record<string, IntegrationStateDto | IntegrationStatus>;

  @ApiProperty({ description: 'What this machine has left.' })
  resources!: ResourcesDto;
}
