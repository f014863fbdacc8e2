import { BullModule } from '@nestjs/bullmq';
import { Global, Module } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Configuration } from '../config/configuration';
import { DueWork, WORK_QUEUE } from './due-work.service';
import { PeriodicJobs } from './periodic-jobs.service';
import { queueOptions } from './signal-backend';
import { WorkProcessor } from './work.processor';

/** Gives `DueWork` and `PeriodicJobs` to every module, and to the queues of all of them their connection. */
@Global()
@Module({
  imports: [
    BullModule.forRootAsync({
      inject: [Configuration, DataSource],
      useFactory: ({ redisUrl }: Configuration, { options }: DataSource) => {
        const { url: databaseUrl } = options as { url: string };
        return queueOptions({ databaseUrl, redisUrl });
      },
    }),
    BullModule.registerQueue({ name: WORK_QUEUE }),
  ],
  providers: [DueWork, PeriodicJobs, WorkProcessor],
  exports: [DueWork, PeriodicJobs],
})
export class JobsModule {}
