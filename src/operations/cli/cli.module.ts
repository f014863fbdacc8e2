import { Module, type DynamicModule } from '@nestjs/common';
import { AdminModule } from '../../admin/admin.module';
import { AccountsModule } from '../../accounts/accounts.module';
import { ApiKeysModule } from '../../api-keys/api-keys.module';
import { coreModules } from '../../core-modules';
import type { Configuration } from '../../core/config/configuration';
import { DatabaseModule } from '../../core/database/database.module';
import { BackupsModule } from '../backups/backups.module';
import { TimelineModule } from '../../timeline/timeline.module';
import { WebhooksModule } from '../../webhooks/webhooks.module';

/** The services that commands call. Platforms, AI and dashboard are left out: the command line does not use them. */
@Module({})
export class CliModule {
  /** @param databaseUrl of a migrated database, without a pooler: a command runs only a few statements */
  static forRoot(configuration: Configuration, databaseUrl: string): DynamicModule {
    return {
      module: CliModule,
      imports: [
        ...coreModules(configuration, DatabaseModule.forRoot(databaseUrl)),
        ApiKeysModule,
        AccountsModule,
        WebhooksModule,
        AdminModule,
        BackupsModule,
        TimelineModule,
      ],
    };
  }
}
