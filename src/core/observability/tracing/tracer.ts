import { currentWork, runIn, type WorkContext, type WorkIds } from './work-context';

type Attributes = Readonly<Record<string, string | number | boolean>>;

export interface SpanOptions {
  /** Whether the span answers a request, makes one, or takes up or leaves work for later; default: none of these. */
  kind?: 'server' | 'client' | 'producer' | 'consumer';
  /**
   * The W3C `traceparent` that was stored with the cause, null if the cause has none; undefined: the current span is the
   * parent.
   */
  parent?: string | null;
  /** Never a text of a message, nor a secret. */
  attributes?: Attributes;
  /** The ids of the span's subject; its log lines carry them, too. */
  ids?: WorkIds;
  /** When it began, in Unix milliseconds; default: now. */
  startedAt?: number;
}

/** A span under way. */
export interface TraceSpan {
  /** Run the span's work in this context. */
  readonly context: WorkContext;
  set(attributes: Attributes): void;
  /** Ends the span with a fault. @param type a class of errors or a status: an error's message may quote a chat message */
  fail(type: string): void;
  end(): void;
}

/** Spans of the gateway's work. Without a receiver of traces it keeps only the ids for log lines. */
export abstract class Tracer {
  abstract readonly isOn: boolean;

  /** Begins a span; its `context` is not entered. */
  abstract start(name: string, options: SpanOptions): TraceSpan;

  /** The current span's `traceparent` (W3C Trace Context); undefined without a span. */
  abstract get traceparent(): string | undefined;

  async run<T>(name: string, options: SpanOptions, work: (span: TraceSpan) => Promise<T>): Promise<T> {
    const span = this.start(name, options);
    try {
      return await runIn(span.context, () => work(span));
    } catch (error) {
      span.fail(error instanceof Error ? error.name : 'unknown');
      throw error;
    } finally {
      span.end();
    }
  }
}

const NO_EFFECT = { set: () => undefined, fail: () => undefined, end: () => undefined };

/** The tracer while tracing is off. */
export class NoTracer extends Tracer {
  readonly isOn = false;

  override start(_name: string, { ids = {} }: SpanOptions): TraceSpan {
    const current = currentWork();
    return { context: { ids: { ...current?.ids, ...ids }, environment: current?.environment }, ...NO_EFFECT };
  }

  override get traceparent(): undefined {
    return undefined;
  }
}
