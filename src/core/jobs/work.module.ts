import { Global, Module } from '@nestjs/common';
import { DueWork } from './due-work.service';
import { PeriodicJobs } from './periodic-jobs.service';

@Global()
@Module({ providers: [DueWork, PeriodicJobs], exports: [DueWork, PeriodicJobs] })
export class WorkModule {}
