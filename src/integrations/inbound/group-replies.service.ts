import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Platform } from '#contracts';
import { Configuration } from '../../core/config/configuration';
import { DeploymentEntity } from '../../core/secrets/deployment.entity';
import { GROUP_REPLIES } from '../../core/secrets/deployment.rows';

/** Which messages of groups the assistant answers. */
@Injectable()
export class GroupReplies implements OnModuleInit {
  private unconfigured: 'mentions' | 'all' = 'mentions';

  constructor(
    private readonly dataSource: DataSource,
    private readonly configuration: Configuration,
  ) {}

  async onModuleInit(): Promise<void> {
    const row = await this.dataSource.getRepository(DeploymentEntity).findOneBy({ name: GROUP_REPLIES });
    if (row?.value === 'all') this.unconfigured = 'all';
  }

  /** @param isMentioned whether the message is meant for the bot; undefined outside of groups, where each one is */
  isAnswered(platform: Platform, isMentioned: boolean | undefined): boolean {
    const replies = this.configuration[platform].groupReplies ?? this.unconfigured;
    return isMentioned === undefined || replies === 'all' || (replies === 'mentions' && isMentioned);
  }
}
