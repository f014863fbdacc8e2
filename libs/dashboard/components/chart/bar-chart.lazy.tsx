import { Skeleton } from '@mantine/core';
import { lazy, Suspense } from 'react';
import type { BarChartProps } from './bar-chart';

const load = () => import('./bar-chart');
const Chart = lazy(load);

/** To be called where a chart will be shown: its library then comes together with its data. */
export function preloadChart(): void {
  // The component that shows the chart handles a failure.
  load().catch(() => undefined);
}

/** The chart library is loaded where a chart is shown. */
export function BarChart(props: BarChartProps) {
  return (
    <Suspense fallback={<Skeleton height={props.height} />}>
      <Chart {...props} />
    </Suspense>
  );
}
