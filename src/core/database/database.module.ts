import { Global, Module, type DynamicModule } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { ClockSync } from './clock-sync';
import { dataSourceOptions } from './data-source';
import { Database } from './database';
import { DatabaseListener } from './database-listener';
import { ENTITIES } from './entities';
import { Outage } from './outage';

@Global()
@Module({})
export class DatabaseModule {
  /** @param dataSource open and migrated; Nest closes it on shutdown */
  static forRoot(dataSource: DataSource): DynamicModule {
    const { url } = dataSource.options as { url: string };
    return {
      module: DatabaseModule,
      imports: [
        TypeOrmModule.forRootAsync({
          useFactory: () => dataSourceOptions(url),
          dataSourceFactory: () => Promise.resolve(dataSource),
        }),
        TypeOrmModule.forFeature(ENTITIES),
      ],
      providers: [Outage, Database, DatabaseListener, ClockSync],
      exports: [TypeOrmModule, Outage, Database, DatabaseListener],
    };
  }
}
