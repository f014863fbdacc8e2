import { Module, type DynamicModule } from '@nestjs/common';
import { AdminModule } from '../admin/admin.module';
import { ApiKeysModule } from '../api-keys/api-keys.module';
import { coreModules } from '../core-modules';
import type { Configuration } from '../core/config/configuration';
import { DatabaseModule } from '../core/database/database.module';
import { TimelineModule } from '../messages/timeline/timeline.module';
import { WebhooksModule } from '../webhooks/webhooks.module';

/** The services that commands call. No platform, no AI, no page: what the command line does not use is not built. */
@Module({})
export class CliModule {
  /** @param databaseUrl of a migrated database, without a pooler: the few statements of a command need none */
  static forRoot(configuration: Configuration, databaseUrl: string): DynamicModule {
    return {
      module: CliModule,
      imports: [
        ...coreModules(configuration, DatabaseModule.forRoot(databaseUrl)),
        ApiKeysModule,
        WebhooksModule,
        AdminModule,
        TimelineModule,
      ],
    };
  }
}
