import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { AccountKey, Platform } from '#contracts';
import type { GroupReplies as Replies } from '../../accounts/account-settings';
import { Accounts } from '../../accounts/accounts.service';
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
    private readonly accounts: Accounts,
  ) {}

  async onModuleInit(): Promise<void> {
    const row = await this.dataSource.getRepository(DeploymentEntity).findOneBy({ name: GROUP_REPLIES });
    if (row?.value === 'all') this.unconfigured = 'all';
  }

  /** The setting of accounts without one of their own. */
  inheritedBy(platform: Platform): Replies {
    return this.configuration[platform].groupReplies ?? this.unconfigured;
  }

  /** @param isMentioned whether the message is meant for the bot; undefined outside of groups, where each one is */
  isAnswered(at: AccountKey, isMentioned: boolean | undefined): boolean {
    const own = this.accounts.find(at)?.settings.group_replies;
    const replies = own ?? this.inheritedBy(at.platform);
    return isMentioned === undefined || replies === 'all' || (replies === 'mentions' && isMentioned);
  }
}
