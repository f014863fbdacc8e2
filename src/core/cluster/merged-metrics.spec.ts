import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Snapshot } from './cluster-messages';
import { countsOf, mergedMetrics } from './merged-metrics';

async function snapshotOf(amount: number, state: number): Promise<Snapshot> {
  const registers = [new Registry()];
  new Counter({ name: 'gateway_requests_total', help: 'Requests.', labelNames: ['route'], registers }).inc(
    { route: '/a' },
    amount,
  );
  new Histogram({ name: 'gateway_seconds', help: 'Durations.', buckets: [1], registers }).observe(amount);
  new Gauge({ name: 'gateway_open_sockets', help: 'Sockets.', registers }).set(amount);
  new Gauge({ name: 'gateway_component_failing', help: 'State.', registers }).set(state);
  new Gauge({ name: 'process_start_time_seconds', help: 'Moment.', registers }).set(amount);
  return registers[0]!.getMetricsAsJSON();
}

describe(mergedMetrics.name, () => {
  it('adds up counters, and takes the newest time and the first state', async () => {
    const text = await mergedMetrics([await snapshotOf(2, 0), await snapshotOf(3, 1)]);
    expect(text.split('\n').filter((line) => line && !line.startsWith('#'))).toEqual([
      'gateway_requests_total{route="/a"} 5',
      'gateway_seconds_bucket{le="1"} 0',
      'gateway_seconds_bucket{le="+Inf"} 2',
      'gateway_seconds_sum 5',
      'gateway_seconds_count 2',
      'gateway_open_sockets 5',
      'gateway_component_failing 0',
      'process_start_time_seconds 3',
    ]);
  });

  it('keeps the counters of a process that has ended, not its gauges', async () => {
    const text = await mergedMetrics([
      await snapshotOf(2, 0),
      await countsOf([await countsOf([await snapshotOf(1, 1)]), await snapshotOf(2, 1)]),
    ]);
    expect(text).toContain('gateway_requests_total{route="/a"} 5');
    expect(text).toContain('gateway_seconds_bucket{le="+Inf"} 3');
    expect(text).toContain('gateway_open_sockets 2');
  });
});
