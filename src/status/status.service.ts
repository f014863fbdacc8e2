import { Injectable } from '@nestjs/common';
import { EntityManager } from 'typeorm';
import { DIRECTIONS, PLATFORMS, type Environment, type Platform } from '#contracts';
import { Configuration } from '../core/config/configuration';
import { ResourceMeter } from './resources';
import { VERSION } from '../core/version';
import { Integrations } from '../integrations/integrations.service';
import { MessageEntity } from '../messages/entities/message.entity';
import { ComponentHealth } from './component-health.service';
import type { IntegrationStateDto, StatusDto } from './dto/status.dto';

@Injectable()
export class StatusService {
  private readonly resources: ResourceMeter;

  constructor(
    { dataDir }: Configuration,
    private readonly health: ComponentHealth,
    private readonly integrations: Integrations,
    private readonly manager: EntityManager,
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
    const last = new Map<Platform, Date>();
    for (const platform of PLATFORMS) {
      for (const direction of DIRECTIONS) {
        // One index lookup, regardless of the number of messages.
        const newest = await this.manager.findOne(MessageEntity, {
          select: { id: true, createdAt: true },
          where: { environment, platform, direction },
          order: { createdAt: 'DESC', id: 'DESC' },
        });
        if (newest && newest.createdAt > (last.get(platform) ?? 0)) last.set(platform, newest.createdAt);
      }
    }
    return last;
  }
}
