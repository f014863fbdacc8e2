import 'uplot/dist/uPlot.min.css';
import { useComputedColorScheme } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import UPlot from 'uplot';
import classes from './bar-chart.module.css';
import { barOptions } from './bar-options';
import { MEASURES, type MeasureName } from './measures';

export interface BarChartProps {
  /** Text alternative of the chart. */
  label: string;
  labels: readonly string[];
  values: readonly number[];
  height: number;
  /** Name of the values. */
  measure: MeasureName;
}

/** Bars over time. The page shows the same figures as text, or has them in the label. */
export default function BarChart({ label, labels, values, height, measure }: BarChartProps) {
  const container = useRef<HTMLDivElement>(null);
  const [hovered, setHovered] = useState<number>();
  const { format } = MEASURES[measure];
  const scheme = useComputedColorScheme('light');

  useEffect(() => {
    const element = container.current!;
    const plot = new UPlot(
      barOptions({
        width: element.clientWidth,
        height,
        labels,
        measure,
        style: getComputedStyle(element),
        onHover: setHovered,
      }),
      [values.map((_, index) => index), [...values]],
      element,
    );
    const observer = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      plot.destroy();
    };
  }, [labels, values, height, measure, scheme]);

  const total = values.reduce((sum, value) => sum + value, 0);
  return (
    <figure className={classes.figure}>
      <figcaption className={`numeric ${classes.caption}`} aria-hidden>
        {hovered === undefined ? ' ' : `${labels[hovered]}: ${format(values[hovered] ?? 0)}`}
      </figcaption>
      <div ref={container} role="img" aria-label={`${label}: ${format(total)} in all`} style={{ height }} />
    </figure>
  );
}
