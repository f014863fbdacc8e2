import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { INTEGRATION_STATUSES, PLATFORMS, type IntegrationStatus, type Platform } from '#contracts';
import { ApiId } from '../../core/openapi/api-id.decorator';
import { GROUP_REPLIES, type GroupReplies } from '../../accounts/account-settings';
import { AccountSettingsDto } from '../../accounts/dto/account-settings.dto';
import { ACCOUNT_SOURCES, type AccountSource } from '../../accounts/entities/account.entity';
import { Example } from '../../core/openapi/example.decorator';
import { DirectionsDto } from './direction.dto';

export class InheritedSettingsDto {
  @ApiProperty({ enum: GROUP_REPLIES, description: 'Which messages of groups the assistant answers.' })
  group_replies!: GroupReplies;
}

@Example({ platform: 'telegram', connected_at: '2026-01-15T09:13:02.118Z' })
export class IntegrationDto extends DirectionsDto {
  @ApiId('account', 'Id of the account; null for a platform without an account.', { nullable: true })
  id!: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Name of the account, unique for the platform; null without an account.',
    example: 'default',
  })
  name!: string | null;

  @ApiProperty({ description: 'Whether sends to new recipients use this account.', example: true })
  is_default!: boolean;

  @ApiProperty({
    enum: ACCOUNT_SOURCES,
    nullable: true,
    description: '`environment`: made by variables of the environment. Null without an account.',
  })
  source!: AccountSource | null;

  @ApiProperty({ description: 'Whether the gateway connects the account.', example: true })
  enabled!: boolean;

  @ApiProperty({ description: 'Settings of the account.' })
  settings!: AccountSettingsDto;

  @ApiProperty({
    description:
      'Settings of the gateway’s environment that the account inherits where its own are null. `GET /admin/settings` has those of the assistant.',
  })
  inherited!: InheritedSettingsDto;

  @ApiProperty({ enum: PLATFORMS, description: 'Name of the platform.' })
  platform!: Platform;

  @ApiProperty({
    enum: INTEGRATION_STATUSES,
    description: 'Connection status. `connected` means that the gateway heard from the platform recently.',
  })
  status!: IntegrationStatus;

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'string' },
    description: 'Account of the gateway on the platform.',
    example: { bot_username: 'acme_bot', bot_id: '123456789' },
  })
  details!: Record<string, string>;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'When the platform was last connected; null if never.',
  })
  connected_at!: string | null;

  @ApiPropertyOptional({ description: 'Why the platform is not connected.', example: 'not configured' })
  error?: string;
}

export class ReconnectionDto {
  @ApiProperty({ enum: PLATFORMS, description: 'Name of the platform.' })
  platform!: Platform;

  @ApiProperty({ enum: ['reconnecting'], description: 'Always `reconnecting`.' })
  status!: 'reconnecting';

  @ApiProperty({
    description: 'Next step for the client.',
    example: 'Reconnection has started. Check the status again in 30 seconds.',
  })
  message!: string;
}
