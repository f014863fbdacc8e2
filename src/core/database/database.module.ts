import { Global, Module, type DynamicModule } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { ClockSync } from './clock-sync.service';
import { Database } from './database.service';
import { DatabaseListener } from './database-listener.service';
import { Outage } from './outage.service';

@Global()
@Module({})
export class DatabaseModule {
  /** @param dataSource open and migrated; Nest closes it on shutdown */
  static forRoot(dataSource: DataSource): DynamicModule {
    const { options } = dataSource;
    return {
      module: DatabaseModule,
      imports: [
        TypeOrmModule.forRootAsync({
          useFactory: () => options,
          dataSourceFactory: () => Promise.resolve(dataSource),
        }),
        TypeOrmModule.forFeature(options.entities as (new () => object)[]),
      ],
      providers: [Outage, Database, DatabaseListener, ClockSync],
      exports: [TypeOrmModule, Outage, Database, DatabaseListener],
    };
  }
}
