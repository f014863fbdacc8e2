import { useMemo } from 'react';
import type { Statistics } from '#client';
import { bucketLabel } from '../../format/bucket';
import { BarChart } from './bar-chart.lazy';
import { MEASURES, type MeasureName } from './measures';

interface TimelineChartProps {
  statistics: Statistics;
  group: 'hour' | 'day' | 'week';
  measure: MeasureName;
  height: number;
}

/** One measure of the statistics over time. */
export function TimelineChart({ statistics: { timeline }, group, measure, height }: TimelineChartProps) {
  const { label, of } = MEASURES[measure];
  const labels = useMemo(() => timeline.map((bucket) => bucketLabel(bucket, group)), [timeline, group]);
  const values = useMemo(() => timeline.map(of), [timeline, of]);
  return <BarChart label={`${label} by ${group}`} height={height} labels={labels} values={values} measure={measure} />;
}
