import { randomUUID } from 'node:crypto';
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, TraceFlags } from '@opentelemetry/api';
import type { Context, Span, SpanContext, Tracer as ApiTracer } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
  type ReadableSpan,
  type Sampler,
} from '@opentelemetry/sdk-trace';
import { Logger, type OnApplicationShutdown } from '@nestjs/common';
import type { Environment } from '#contracts';
import { within } from '../../clock/within';
import type { Configuration } from '../../config/configuration';
import { percentDecoded } from '../../percent-decoded';
import { VERSION } from '../../version';
import { Tracer, type SpanOptions, type TraceSpan } from './tracer';
import { currentWork, type WorkIds } from './work-context';

/** At a stop, sending the remaining spans may take this long, in milliseconds. */
const FLUSH_MS = 3_000;
/** Pause between two batches, in milliseconds. */
const BATCH_MS = 1_000;

/** https://www.w3.org/TR/trace-context/#traceparent-header */
const TRACEPARENT = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/;

const KINDS = {
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
} as const;

/** https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/#general-sdk-configuration */
const SAMPLERS: Readonly<Record<Configuration['tracing']['sampler'], (ratio: number) => Sampler>> = {
  always_on: () => new AlwaysOnSampler(),
  always_off: () => new AlwaysOffSampler(),
  traceidratio: (ratio) => new TraceIdRatioBasedSampler(ratio),
  parentbased_always_on: () => new ParentBasedSampler({ root: new AlwaysOnSampler() }),
  parentbased_always_off: () => new ParentBasedSampler({ root: new AlwaysOffSampler() }),
  parentbased_traceidratio: (ratio) => new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) }),
};

/**
 * Spans for a receiver of OTLP over HTTP; imported only if a receiver is set. It sets none of OpenTelemetry's global
 * objects: two gateways in one process must not share a trace, and spans of libraries must stay out.
 */
export class OpenTelemetryTracer extends Tracer implements OnApplicationShutdown {
  readonly isOn = true;
  private readonly provider: TracerProvider;
  private readonly tracer: ApiTracer;

  constructor(endpoint: string, { headers = [], serviceName, sampler, samplerRatio }: Configuration['tracing']) {
    super();
    const url = `${endpoint.replace(/\/$/, '')}/v1/traces`;
    const exporter = new LoggingExporter({ url, headers: Object.fromEntries(headers.map(headerOf)) });
    this.provider = new TracerProvider({
      resource: defaultResource().merge(
        resourceFromAttributes({
          'service.name': serviceName,
          'service.version': VERSION,
          'service.instance.id': randomUUID(),
        }),
      ),
      sampler: SAMPLERS[sampler](samplerRatio),
      spanProcessors: [new BatchSpanProcessor({ exporter, scheduledDelayMillis: BATCH_MS })],
    });
    this.tracer = this.provider.getTracer('messaging-gateway', VERSION);
  }

  override start(name: string, { kind, parent, attributes, ids, startedAt }: SpanOptions): TraceSpan {
    const current = currentWork();
    const underWay = (current?.trace as Context | undefined) ?? ROOT_CONTEXT;
    const context = parent === undefined ? underWay : contextOf(parent);
    const spanKind = kind === undefined ? SpanKind.INTERNAL : KINDS[kind];
    const span = this.tracer.startSpan(name, { kind: spanKind, attributes, startTime: startedAt }, context);
    const about = { ...current?.ids, ...ids };
    return new OpenTelemetrySpan(span, context, about, current?.environment);
  }

  override get traceparent(): string | undefined {
    const context = currentWork()?.trace as Context | undefined;
    const span = context && trace.getSpanContext(context);
    return span && `00-${span.traceId}-${span.spanId}-${span.traceFlags.toString(16).padStart(2, '0')}`;
  }

  /** Runs after all work has ended. An unavailable receiver does not delay the stop. */
  async onApplicationShutdown(): Promise<void> {
    await within(FLUSH_MS, this.provider.shutdown()).catch(() => undefined);
  }
}

/** The SDK does not report an unavailable receiver: the log does, once. */
class LoggingExporter extends OTLPTraceExporter {
  private readonly logger = new Logger('Tracing');
  private failing = false;

  override export(spans: ReadableSpan[], done: Parameters<OTLPTraceExporter['export']>[1]): void {
    super.export(spans, (result) => {
      const failed = result.error !== undefined;
      // The error's message may hold the address with a password.
      if (failed && !this.failing)
        this.logger.warn(`Spans were lost: the receiver did not accept them (${result.error!.name})`);
      this.failing = failed;
      done(result);
    });
  }
}

class OpenTelemetrySpan implements TraceSpan {
  readonly context: TraceSpan['context'];

  constructor(
    private readonly span: Span,
    parent: Context,
    private readonly ids: WorkIds,
    environment: Environment | undefined,
  ) {
    this.context = { ids, environment, trace: trace.setSpan(parent, span), traceId: span.spanContext().traceId };
  }

  set(attributes: Parameters<TraceSpan['set']>[0]): void {
    this.span.setAttributes(attributes);
  }

  fail(type: string): void {
    this.span.setStatus({ code: SpanStatusCode.ERROR });
    this.span.setAttribute('error.type', type);
  }

  end(): void {
    for (const [what, id] of Object.entries(this.ids)) this.span.setAttribute(`gateway.${what}`, id as string);
    this.span.end();
  }
}

/** `name=value`, the value percent-encoded. */
function headerOf(header: string): [string, string] {
  const [name = '', value = ''] = header.split(/=(.*)/);
  return [name.trim(), percentDecoded(value.trim())];
}

function contextOf(traceparent: string | null): Context {
  const [, traceId, spanId, flags] = TRACEPARENT.exec(traceparent ?? '') ?? [];
  if (traceId === undefined || spanId === undefined) return ROOT_CONTEXT;
  const parent: SpanContext = {
    traceId,
    spanId,
    traceFlags: Number.parseInt(flags!, 16) & TraceFlags.SAMPLED,
    isRemote: true,
  };
  return trace.setSpanContext(ROOT_CONTEXT, parent);
}
