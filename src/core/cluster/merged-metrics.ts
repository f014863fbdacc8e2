import { AggregatorRegistry, type Registry } from 'prom-client';
import type { Snapshot } from './cluster-messages';

/** Gauges of amounts that each process has for itself: they are added up. */
const AMOUNT =
  /^(?:process_.*(?:bytes|fds)|nodejs_(?:heap|external|active)|gateway_(?:open_sockets|event_streams|database_))/;
/** Gauges of timestamps: the newest counts. */
const MOMENT = /(?:timestamp|start_time)_seconds$/;

/**
 * Merges snapshots into one text for Prometheus: sums counts and amounts, takes the newest timestamps and the first
 * snapshot's states.
 */
export async function mergedMetrics(snapshots: readonly Snapshot[]): Promise<string> {
  return merged(snapshots).metrics();
}

/** The counts of processes that have ended, as one snapshot. */
export async function countsOf(snapshots: readonly Snapshot[]): Promise<Snapshot> {
  return merged(snapshots.map((snapshot) => snapshot.filter((metric) => !isGauge(metric)))).getMetricsAsJSON();
}

function merged(snapshots: readonly Snapshot[]): Registry {
  const metrics = snapshots.map((snapshot) =>
    snapshot.map((metric) => ({ ...metric, aggregator: aggregatorOf(metric) })),
  );
  return AggregatorRegistry.aggregate(metrics);
}

function aggregatorOf(metric: Snapshot[number]): 'sum' | 'max' | 'first' {
  if (!isGauge(metric) || AMOUNT.test(metric.name)) return 'sum';
  return MOMENT.test(metric.name) ? 'max' : 'first';
}

/** prom-client's types declare a number; the value is a string. */
function isGauge({ type }: Snapshot[number]): boolean {
  return String(type) === 'gauge';
}
