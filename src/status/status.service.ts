import { Injectable } from '@nestjs/common';
import { EntityManager, LessThan } from 'typeorm';
import { DIRECTIONS, PLATFORMS, type Environment, type Platform } from '#contracts';
import { within } from '../core/clock/within';
import { Configuration } from '../core/config/configuration';
import { ResourceMeter } from './resources';
import { Siblings } from '../core/cluster/siblings.service';
import { UNPLACED_AT } from '../core/pagination/placement.rows';
import { VERSION } from '../core/version';
import { Integrations } from '../integrations/integrations.service';
import { MessageEntity } from '../messages/entities/message.entity';
import type { IntegrationStateDto, StatusDto } from './dto/status.dto';
import { HealthEvaluator } from './health-evaluator.service';
import { HeldWorkCounts } from './held-work.service';

/** A database that takes longer than this is shown as unhealthy, in milliseconds. */
const TIMEOUT_MS = 2_000;

@Injectable()
export class StatusService {
  private readonly resources: ResourceMeter;
  /** When the newest message of each platform was stored, as last read. */
  private readonly known: Record<Environment, Map<Platform, Date>> = { live: new Map(), test: new Map() };

  constructor(
    { dataDir }: Configuration,
    private readonly evaluator: HealthEvaluator,
    private readonly integrations: Integrations,
    private readonly manager: EntityManager,
    private readonly held: HeldWorkCounts,
    private readonly siblings: Siblings,
  ) {
    this.resources = new ResourceMeter(dataDir);
  }

  async read(environment: Environment, summary: boolean): Promise<StatusDto> {
    const answered = summary || (await this.refresh(environment));
    const { status, components } = await this.evaluator.read(environment, !answered);
    const lastMessages = this.known[environment];
    const states = PLATFORMS.map((platform) => [
      platform,
      summary
        ? this.integrations.state(this.integrations.defaultOf(environment, platform)).status
        : this.integration(environment, platform, lastMessages.get(platform)),
    ]);
    return {
      status,
      version: VERSION,
      uptime_seconds: this.siblings.uptimeSeconds,
      workers_running: this.siblings.running,
      components,
      integrations: Object.fromEntries(states) as StatusDto['integrations'],
      held: this.held.of(environment),
      resources: await this.resources.read(),
    };
  }

  private integration(
    environment: Environment,
    platform: Platform,
    lastMessage: Date | undefined,
  ): IntegrationStateDto {
    const at = this.integrations.defaultOf(environment, platform);
    const { status, reason, details } = this.integrations.state(at);
    const { phone, bot_username } = details;
    return {
      status,
      ...(phone !== undefined && { phone }),
      ...(bot_username !== undefined && { bot_username }),
      last_message: lastMessage?.toISOString() ?? null,
      ...this.integrations.directions(at),
      ...(status !== 'connected' && { error: reason ?? status }),
      accounts: this.integrations.accountsOf(environment, platform),
    };
  }

  /** @returns false if the database does not answer: the last known state then stays */
  private async refresh(environment: Environment): Promise<boolean> {
    try {
      const [lastMessages] = await within(
        TIMEOUT_MS,
        Promise.all([this.lastMessages(environment), this.held.refresh()]),
      );
      this.known[environment] = lastMessages;
      return true;
    } catch {
      return false;
    }
  }

  private async lastMessages(environment: Environment): Promise<Map<Platform, Date>> {
    const last = new Map<Platform, Date>();
    for (const platform of PLATFORMS) {
      for (const direction of DIRECTIONS) {
        // One index lookup, regardless of the number of messages.
        const newest = await this.manager.findOne(MessageEntity, {
          select: { id: true, createdAt: true },
          where: { environment, platform, direction, createdAt: LessThan(UNPLACED_AT) },
          order: { createdAt: 'DESC', id: 'DESC' },
        });
        if (newest && newest.createdAt > (last.get(platform) ?? 0)) last.set(platform, newest.createdAt);
      }
    }
    return last;
  }
}
