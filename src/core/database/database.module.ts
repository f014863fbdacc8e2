import { Global, Module, type DynamicModule } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { ClockSync } from './clock-sync.service';
import { dataSourceOptions } from './data-source';
import { DatabaseMetrics } from './database-metrics.service';
import { Database } from './database.service';
import { DatabaseListener } from './database-listener.service';
import { DirectUrl } from './connections/direct-connection';
import { PoolerCheck } from './connections/pooler-check.service';
import { PreparedStatements } from './connections/prepared-statements';
import { StartConnections } from './connections/start-connections';
import { WriteHealth } from './connections/write-health.service';
import { Outage } from './outage.service';

/** Options for a pooler in transaction mode between the gateway and the server, and for several workers. */
export interface PoolOptions {
  /** URL of the same database without the pooler; unset: there is no pooler. */
  directUrl?: string | undefined;
  /** Whether statements are prepared under their names; true by default. */
  prepared?: boolean;
  /** How many processes divide the connections among them. */
  workers?: number;
}

@Global()
@Module({})
export class DatabaseModule {
  /**
   * Nest opens the data source, and closes it on shutdown.
   * @param url of a migrated database
   * @param connections the start closes them if it fails
   */
  static forRoot(
    url: string,
    { directUrl, prepared = true, workers = 1 }: PoolOptions = {},
    connections = new StartConnections(),
  ): DynamicModule {
    const hasPooler = directUrl !== undefined;
    return {
      module: DatabaseModule,
      imports: [
        TypeOrmModule.forRootAsync({
          useFactory: () => ({ ...dataSourceOptions(url, { hasPooler, workers }), autoLoadEntities: true }),
          dataSourceFactory: async (options) => {
            const dataSource = await new DataSource(options!).initialize();
            connections.add(() => dataSource.destroy());
            return dataSource;
          },
        }),
      ],
      providers: [
        { provide: DirectUrl, useValue: new DirectUrl(directUrl ?? url) },
        { provide: PreparedStatements, useValue: new PreparedStatements(prepared) },
        { provide: StartConnections, useValue: connections },
        Outage,
        Database,
        DatabaseMetrics,
        WriteHealth,
        DatabaseListener,
        ClockSync,
        ...(hasPooler ? [PoolerCheck] : []),
      ],
      exports: [TypeOrmModule, DirectUrl, StartConnections, Outage, Database, WriteHealth, DatabaseListener],
    };
  }
}
