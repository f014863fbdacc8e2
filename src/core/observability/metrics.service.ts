import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { collectDefaultMetrics, Counter, Histogram, Registry } from 'prom-client';

/** Metrics for Prometheus. Labels are words of the program only: never ids, texts or addresses. */
@Injectable()
export class Metrics implements OnApplicationShutdown {
  /** Not prom-client's global registry: two gateways in one process must not share counters. */
  readonly registry = new Registry();

  private readonly requests = new Histogram({
    name: 'gateway_http_request_duration_seconds',
    help: 'Duration of API requests, from their arrival to the last byte of the answer.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 90],
    registers: [this.registry],
  });

  private readonly events = new Counter({
    name: 'gateway_events_total',
    help: 'Domain events recorded by this instance.',
    labelNames: ['type', 'environment'],
    registers: [this.registry],
  });

  private readonly auditDrops = new Counter({
    name: 'gateway_audit_entries_dropped_total',
    help: 'Audit entries lost because the database was unavailable or too slow for too long.',
    registers: [this.registry],
  });

  constructor() {
    collectDefaultMetrics({ register: this.registry });
  }

  /** @param milliseconds from the arrival of the request to the last byte of its answer */
  requestAnswered(labels: { method: string; route: string; status: string }, milliseconds: number): void {
    this.requests.observe(labels, milliseconds / 1000);
  }

  eventsRecorded(events: readonly { type: string; environment: string }[]): void {
    for (const { type, environment } of events) this.events.inc({ type, environment });
  }

  auditEntriesDropped(count: number): void {
    this.auditDrops.inc(count);
  }

  onApplicationShutdown(): void {
    this.registry.clear();
  }
}
