import { Global, Module } from '@nestjs/common';
import { Metrics } from './metrics.service';

@Global()
@Module({ providers: [Metrics], exports: [Metrics] })
export class ObservabilityModule {}
