import { Skeleton } from '@mantine/core';
import { lazy, Suspense } from 'react';
import type { BarChartProps } from './bar-chart';

const load = () => import('./bar-chart');
const Chart = lazy(load);

/** Call it before a chart is shown, so that its library loads together with the data. */
export function preloadChart(): void {
  // The component that shows the chart handles a failure.
  load().catch(() => undefined);
}

/** Loads the chart library at the first use. */
export function BarChart(props: BarChartProps) {
  return (
    <Suspense fallback={<Skeleton height={props.height} />}>
      <Chart {...props} />
    </Suspense>
  );
}
