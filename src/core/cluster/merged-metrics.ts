import { AggregatorRegistry } from 'prom-client';
import type { Snapshot } from './cluster-messages';

/** Gauges of amounts that each process has for itself. */
const AMOUNT =
  /^(?:process_.*(?:bytes|fds)|nodejs_(?:heap|external|active)|gateway_(?:open_sockets|event_streams|database_))/;
/** Gauges of moments: the newest one counts. */
const MOMENT = /(?:timestamp|start_time)_seconds$/;

/** One text for Prometheus: what processes count and have is added up; of states, which are the same for all, the first one's counts. */
export async function mergedMetrics(snapshots: readonly Snapshot[]): Promise<string> {
  const metrics = snapshots.map((snapshot) =>
    snapshot.map((metric) => ({ ...metric, aggregator: aggregatorOf(metric) })),
  );
  return AggregatorRegistry.aggregate(metrics).metrics();
}

/** What a process that has ended leaves: what it counted. */
export function countsOf(snapshot: Snapshot): Snapshot {
  return snapshot.filter((metric) => !isGauge(metric));
}

function aggregatorOf(metric: Snapshot[number]): 'sum' | 'max' | 'first' {
  if (!isGauge(metric) || AMOUNT.test(metric.name)) return 'sum';
  return MOMENT.test(metric.name) ? 'max' : 'first';
}

/** The declarations of prom-client say that the type is a number. */
function isGauge({ type }: Snapshot[number]): boolean {
  return String(type) === 'gauge';
}
