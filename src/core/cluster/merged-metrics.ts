import { AggregatorRegistry, type Registry } from 'prom-client';
import type { Snapshot } from './cluster-messages';

/** Gauges of amounts that each process has for itself. */
const AMOUNT =
  /^(?:process_.*(?:bytes|fds)|nodejs_(?:heap|external|active)|gateway_(?:open_sockets|event_streams|database_))/;
/** Gauges of moments: the newest one counts. */
const MOMENT = /(?:timestamp|start_time)_seconds$/;

/** One text for Prometheus: it adds up amounts and counts, and takes the newest moment and the first one's states. */
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

/** The declarations of prom-client say that the type is a number. */
function isGauge({ type }: Snapshot[number]): boolean {
  return String(type) === 'gauge';
}
