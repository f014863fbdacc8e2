import { Module } from '@nestjs/common';
import { ConfigurableModuleClass } from './jobs.module-definition';
import { WakeQueue } from './work-signals.service';

/** Gives `WakeQueue` to every module. */
@Module({ providers: [WakeQueue], exports: [WakeQueue] })
export class QueueModule extends ConfigurableModuleClass {}
