import { Injectable } from '@nestjs/common';
import { PLATFORMS, type Environment, type Platform } from '#contracts';
import { Configuration } from '../core/config/configuration';
import { Database, statement } from '../core/database/database.service';
import { ResourceMeter } from './resources';
import { VERSION } from '../core/version';
import { Integrations } from '../integrations/integrations.service';
import { ComponentHealth } from './component-health.service';
import type { IntegrationStateDto, StatusDto } from './dto/status.dto';

/** One step into the index for each platform and direction, whatever the number of messages. */
const LAST_MESSAGES = statement(
  'status-last-messages',
  `SELECT p.platform, max(newest.created_at) AS at
   FROM unnest($2::text[]) AS p(platform) CROSS JOIN unnest(ARRAY['inbound', 'outbound']) AS d(direction)
   CROSS JOIN LATERAL (
     SELECT created_at FROM messages m
     WHERE m.environment = $1 AND m.platform = p.platform AND m.direction = d.direction
     ORDER BY created_at DESC, id DESC LIMIT 1
   ) newest
   GROUP BY p.platform`,
);

@Injectable()
export class StatusService {
  private readonly resources: ResourceMeter;

  constructor(
    { dataDir }: Configuration,
    private readonly health: ComponentHealth,
    private readonly integrations: Integrations,
    private readonly database: Database,
  ) {
    this.resources = new ResourceMeter(dataDir);
  }

  async read(environment: Environment, summary: boolean): Promise<StatusDto> {
    const components = await this.health.components(environment);
    const lastMessages = summary ? new Map<Platform, Date>() : await this.lastMessages(environment);
    const states = PLATFORMS.map((platform) => [
      platform,
      summary
        ? this.integrations.state(environment, platform).status
        : this.integration(environment, platform, lastMessages.get(platform)),
    ]);
    return {
      status: this.health.overall(environment, components),
      version: VERSION,
      uptime_seconds: Math.floor(process.uptime()),
      components,
      integrations: Object.fromEntries(states) as StatusDto['integrations'],
      resources: await this.resources.read(),
    };
  }

  private integration(
    environment: Environment,
    platform: Platform,
    lastMessage: Date | undefined,
  ): IntegrationStateDto {
    const { status, reason, details } = this.integrations.state(environment, platform);
    const { phone, bot_username } = details;
    return {
      status,
      ...(phone !== undefined && { phone }),
      ...(bot_username !== undefined && { bot_username }),
      last_message: lastMessage?.toISOString() ?? null,
      ...this.integrations.directions(environment, platform),
      ...(status !== 'connected' && { error: reason ?? status }),
    };
  }

  private async lastMessages(environment: Environment): Promise<Map<Platform, Date>> {
    const rows = await this.database.query<{ platform: Platform; at: Date }>(LAST_MESSAGES, [environment, PLATFORMS]);
    return new Map(rows.map(({ platform, at }) => [platform, at]));
  }
}
