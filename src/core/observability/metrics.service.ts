import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { ENVIRONMENTS, PLATFORMS, type Environment, type Platform, type ToolCallStatus } from '#contracts';
import { mergedMetrics } from '../cluster/merged-metrics';
import { Siblings } from '../cluster/siblings.service';
import { VERSION } from '../version';
import { SEND_OUTCOMES, RECEIVE_OUTCOMES, REFUSAL_LIMITS, WEBHOOK_OUTCOMES } from './metric-labels';
import type { ReceiveOutcome, RefusalLimit, SendOutcome, WebhookOutcome } from './metric-labels';

/** Durations of requests to the gateway, in seconds. */
const REQUEST_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 90];
/** Durations of exchanges with platforms and receivers, in seconds. */
const EXCHANGE_BUCKETS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
/** Durations of answers by an AI, in seconds. */
const ANSWER_BUCKETS = [0.25, 0.5, 1, 2, 4, 8, 15, 30, 60, 120, 300, 900];

/**
 * How often the lag of the event loop is measured, in milliseconds. At prom-client's default of 10, an idle process does
 * little else.
 */
const LAG_PRECISION_MS = 100;

/** Gauges of prom-client that end in `_total`, which is for counters. `nodejs_active_resources` reports the same by type. */
const MISNAMED = ['nodejs_active_handles_total', 'nodejs_active_requests_total', 'nodejs_active_resources_total'];

/** How many models have a label of their own in one process: about as many as the price list and the settings hold at once. */
const MOST_MODELS = 64;
/** How many kinds of ignored updates, of all platforms together, have a label of their own in one process. */
const MOST_KINDS = 200;
/** Models without a price, models and kinds above the limit. */
const OTHER = 'other';

/** The AI provider's report for one answer. */
interface UsedTokens {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
}

/**
 * Metrics for Prometheus. Labels are words of the program only, never ids, texts or addresses. Hot paths only increment
 * counters; values that live elsewhere are read when Prometheus asks.
 */
@Injectable()
export class Metrics implements OnApplicationShutdown {
  /** Not prom-client's global registry: two gateways in one process must not share counters. */
  readonly registry = new Registry();
  private readonly models = new Set<string>();
  /** Kinds of ignored updates that have a label of their own. */
  private readonly kinds = new Set<string>();

  private readonly requests = this.counter(
    'gateway_http_requests_total',
    'Requests by route; `unknown` means that no route matched.',
    ['method', 'route', 'status'],
  );
  private readonly requestDurations = this.histogram(
    'gateway_http_request_duration_seconds',
    'Duration of requests, from arrival to the last byte of the response.',
    ['method', 'route'],
    REQUEST_BUCKETS,
  );
  private readonly refusals = this.counter('gateway_refusals_total', 'Requests and replies refused by a limit.', [
    'limit',
  ]);
  private readonly events = this.counter('gateway_events_total', 'Domain events recorded by this instance.', [
    'type',
    'environment',
  ]);
  private readonly auditDrops = this.counter(
    'gateway_audit_entries_dropped_total',
    'Audit entries lost because the database was unavailable or too slow for too long.',
  );
  private readonly received = this.counter(
    'gateway_messages_received_total',
    'Messages received from platforms; `failed` ones were not stored, and the platform delivers them again.',
    ['platform', 'environment', 'outcome'],
  );
  private readonly ignored = this.counter(
    'gateway_updates_ignored_total',
    'Ignored platform updates, such as joins and pins.',
    ['platform', 'kind'],
  );
  private readonly sent = this.counter(
    'gateway_messages_sent_total',
    'Messages sent to platforms; `postponed` ones are retried.',
    ['platform', 'environment', 'outcome'],
  );
  private readonly sendDurations = this.histogram(
    'gateway_message_send_duration_seconds',
    'Duration of the platform calls of one message, all parts and pauses together.',
    ['platform', 'environment'],
    EXCHANGE_BUCKETS,
  );
  private readonly replies = this.histogram(
    'gateway_reply_duration_seconds',
    'Time from the first unanswered message until the platform accepted the answer, if the platform was reachable.',
    ['platform', 'environment'],
    ANSWER_BUCKETS,
  );
  private readonly aiRequests = this.histogram(
    'gateway_ai_request_duration_seconds',
    'Duration of AI requests, including retries.',
    ['model', 'environment', 'outcome'],
    ANSWER_BUCKETS,
  );
  private readonly aiTokens = this.counter('gateway_ai_tokens_total', 'Tokens used by the AI.', [
    'model',
    'environment',
    'type',
  ]);
  private readonly aiCost = this.counter('gateway_ai_cost_dollars_total', 'Cost of the AI in US dollars.', [
    'model',
    'environment',
  ]);
  private readonly webhookAttempts = this.counter(
    'gateway_webhook_attempts_total',
    'Webhook attempts; `retried` ones failed and will be retried.',
    ['outcome'],
  );
  private readonly webhookDurations = this.histogram(
    'gateway_webhook_attempt_duration_seconds',
    'Duration of webhook attempts, from the DNS lookup to the end of the response.',
    [],
    EXCHANGE_BUCKETS,
  );

  private readonly toolCalls = this.histogram(
    'gateway_tool_call_duration_seconds',
    'Duration of tool calls, including the wait for a slot.',
    ['environment', 'status'],
    ANSWER_BUCKETS,
  );

  constructor(private readonly siblings: Siblings) {
    siblings.onMeasure(() => this.registry.getMetricsAsJSON());
    collectDefaultMetrics({ register: this.registry, eventLoopMonitoringPrecision: LAG_PRECISION_MS });
    for (const name of MISNAMED) this.registry.removeSingleMetric(name);
    this.gauge('gateway_build_info', 'Running version; always 1.', ['version']).set({ version: VERSION }, 1);
    this.beginAtZero();
  }

  /** For Prometheus, of all processes of this gateway. */
  async text(): Promise<string> {
    const others = await this.siblings.metricsOfOthers();
    if (others.length === 0) return this.registry.metrics();
    return mergedMetrics([await this.registry.getMetricsAsJSON(), ...others]);
  }

  /** @param milliseconds from the arrival of the request to the last byte of its answer */
  requestAnswered(method: string, route: string | undefined, status: number, milliseconds: number): void {
    // The parser admits some thirty methods; on unknown routes strangers choose them.
    const labels = route === undefined ? { method: 'any', route: 'unknown' } : { method, route };
    this.requests.inc({ ...labels, status });
    this.requestDurations.observe(labels, milliseconds / 1_000);
  }

  refused(limit: RefusalLimit): void {
    this.refusals.inc({ limit });
  }

  eventsRecorded(events: readonly { type: string; environment: string }[]): void {
    for (const { type, environment } of events) this.events.inc({ type, environment });
  }

  auditEntriesDropped(count: number): void {
    this.auditDrops.inc(count);
  }

  messageReceived(platform: Platform, environment: Environment, outcome: ReceiveOutcome): void {
    this.received.inc({ platform, environment, outcome });
  }

  /** @param kind the platform's word, which is new to the gateway if the platform is */
  updateIgnored(platform: Platform, kind: string): void {
    const known = `${platform} ${kind}`;
    if (this.kinds.size < MOST_KINDS) this.kinds.add(known);
    this.ignored.inc({ platform, kind: this.kinds.has(known) ? kind : OTHER });
  }

  /** @param milliseconds of the calls to the platform */
  messageSent(platform: Platform, environment: Environment, outcome: SendOutcome, milliseconds: number): void {
    this.sent.inc({ platform, environment, outcome });
    this.sendDurations.observe({ platform, environment }, milliseconds / 1_000);
  }

  /** @param milliseconds since the arrival of the first message that is answered */
  replied(platform: Platform, environment: Environment, milliseconds: number): void {
    this.replies.observe({ platform, environment }, Math.max(0, milliseconds) / 1_000);
  }

  /**
   * A request to the AI has ended.
   * @param model with a price, as the price table names it; undefined for any other
   */
  aiAnswered(
    model: string | undefined,
    environment: Environment,
    outcome: 'answered' | 'failed',
    milliseconds: number,
  ): void {
    this.aiRequests.observe({ model: this.modelLabel(model), environment, outcome }, milliseconds / 1_000);
  }

  /** The AI used tokens. @param model as for `aiAnswered` */
  aiUsed(model: string | undefined, environment: Environment, tokens: UsedTokens, dollars: number): void {
    const labels = { model: this.modelLabel(model), environment };
    const { input, output, cacheRead, cacheWrite } = tokens;
    this.aiTokens.inc({ ...labels, type: 'input' }, input);
    this.aiTokens.inc({ ...labels, type: 'output' }, output);
    this.aiTokens.inc({ ...labels, type: 'cache_read' }, cacheRead);
    this.aiTokens.inc({ ...labels, type: 'cache_write' }, cacheWrite);
    this.aiCost.inc(labels, dollars);
  }

  /** @param milliseconds of the exchange */
  webhookAttempted(outcome: WebhookOutcome, milliseconds: number): void {
    this.webhookAttempts.inc({ outcome });
    this.webhookDurations.observe(milliseconds / 1_000);
  }

  /** @param milliseconds of the call, including the wait for a slot */
  toolCalled(status: ToolCallStatus, environment: Environment, milliseconds: number): void {
    this.toolCalls.observe({ environment, status }, milliseconds / 1_000);
  }

  /** A gauge without labels, read when Prometheus asks. */
  read(name: string, help: string, value: () => number): void {
    this.gauge(name, help, [], (gauge) => gauge.set(value()));
  }

  /** A gauge with one label, read when Prometheus asks. @param values by the words of the label */
  readEach(name: string, help: string, label: string, values: () => Readonly<Record<string, number>>): void {
    this.gauge(name, help, [label], (gauge) => {
      for (const [word, value] of Object.entries(values())) gauge.set({ [label]: word }, value);
    });
  }

  /** @param collect sets it when Prometheus asks */
  gauge(name: string, help: string, labelNames: string[] = [], collect?: (gauge: Gauge) => void): Gauge {
    const registers = [this.registry];
    const gauge: Gauge = new Gauge({ name, help, labelNames, registers, collect: () => collect?.(gauge) });
    return gauge;
  }

  counter(name: string, help: string, labelNames: string[] = []): Counter {
    return new Counter({ name, help, labelNames, registers: [this.registry] });
  }

  onApplicationShutdown(): void {
    this.registry.clear();
  }

  /** Names come from the price table and from settings, which may change while the process runs. */
  private modelLabel(model: string | undefined): string {
    if (model === undefined) return OTHER;
    if (this.models.size < MOST_MODELS) this.models.add(model);
    return this.models.has(model) ? model : OTHER;
  }

  /** Prometheus notices the first increment of a counter only if it has seen the counter at zero before. */
  private beginAtZero(): void {
    for (const limit of REFUSAL_LIMITS) this.refusals.inc({ limit }, 0);
    for (const outcome of WEBHOOK_OUTCOMES) this.webhookAttempts.inc({ outcome }, 0);
    for (const platform of PLATFORMS) {
      for (const environment of ENVIRONMENTS) {
        for (const outcome of RECEIVE_OUTCOMES) this.received.inc({ platform, environment, outcome }, 0);
        for (const outcome of SEND_OUTCOMES) this.sent.inc({ platform, environment, outcome }, 0);
      }
    }
  }

  private histogram(name: string, help: string, labelNames: string[], buckets: number[]): Histogram {
    return new Histogram({ name, help, labelNames, buckets, registers: [this.registry] });
  }
}
