import { Module } from '@nestjs/common';
import { ConfigurableModuleClass } from './queue.module-definition';
import { WakeQueue } from './wake-queue';

/** Gives `WakeQueue` to every module. */
@Module({ providers: [WakeQueue], exports: [WakeQueue] })
export class QueueModule extends ConfigurableModuleClass {}
