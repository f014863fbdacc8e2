import { Global, Module, type DynamicModule } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ClockSync } from './clock-sync.service';
import { dataSourceOptions } from './data-source';
import { Database } from './database.service';
import { DatabaseListener } from './database-listener.service';
import { Outage } from './outage.service';

@Global()
@Module({})
export class DatabaseModule {
  /** @param url of a migrated database. Nest opens the data source, and closes it on shutdown. */
  static forRoot(url: string): DynamicModule {
    return {
      module: DatabaseModule,
      imports: [
        TypeOrmModule.forRootAsync({ useFactory: () => ({ ...dataSourceOptions(url), autoLoadEntities: true }) }),
      ],
      providers: [Outage, Database, DatabaseListener, ClockSync],
      exports: [TypeOrmModule, Outage, Database, DatabaseListener],
    };
  }
}
