import { Module } from '@nestjs/common';
import { ConfigurableModuleClass } from './jobs.module-definition';
import { WorkSignals } from './work-signals.service';

/** Gives `WorkSignals` to every module. */
@Module({ providers: [WorkSignals], exports: [WorkSignals] })
export class JobsModule extends ConfigurableModuleClass {}
