import { BullModule } from '@nestjs/bullmq';
import { Global, Module } from '@nestjs/common';
import { Configuration } from '../../config/configuration';
import { DirectUrl } from '../../database/connections/direct-connection';
import { StartConnections } from '../../database/connections/start-connections';
import { DueWork, WORK_QUEUE } from './due-work.service';
import { DueWorkMonitor } from '../monitor/due-work-monitor.service';
import { PeriodicJobs } from '../periodic-jobs.service';
import { queueOptions } from './signal-backend';
import { WorkProcessor } from './work.processor';

/** Gives `DueWork` and `PeriodicJobs` to every module, and to the queues of all of them their connection. */
@Global()
@Module({
  imports: [
    BullModule.forRootAsync({
      inject: [Configuration, DirectUrl, StartConnections],
      // BullMQ listens, and sets each connection's search_path: no pooler in transaction mode keeps that.
      useFactory: ({ redisUrl }: Configuration, { value: databaseUrl }: DirectUrl, connections: StartConnections) =>
        queueOptions({ databaseUrl, redisUrl, connections }),
    }),
    BullModule.registerQueue({ name: WORK_QUEUE }),
  ],
  providers: [DueWork, DueWorkMonitor, PeriodicJobs, WorkProcessor],
  exports: [DueWork, DueWorkMonitor, PeriodicJobs],
})
export class JobsModule {}
