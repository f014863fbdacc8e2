import { Global, Module } from '@nestjs/common';
import { ClusterModule } from '../cluster/cluster.module';
import { Configuration } from '../config/configuration';
import { Metrics } from './metrics.service';
import { NoTracer, Tracer } from './tracing/tracer';

@Global()
@Module({
  imports: [ClusterModule],
  providers: [Metrics, { provide: Tracer, inject: [Configuration], useFactory: tracerOf }],
  exports: [Metrics, Tracer],
})
export class ObservabilityModule {}

/** OpenTelemetry is loaded only where it is used. */
async function tracerOf({ tracing }: Configuration): Promise<Tracer> {
  if (tracing.endpoint === undefined) return new NoTracer();
  const { OpenTelemetryTracer } = await import('./tracing/opentelemetry-tracer.js');
  return new OpenTelemetryTracer(tracing.endpoint, tracing);
}
