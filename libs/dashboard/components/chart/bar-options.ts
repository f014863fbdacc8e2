import UPlot from 'uplot';
import { MEASURES, type MeasureName } from './measures';

interface BarOptions {
  width: number;
  height: number;
  labels: readonly string[];
  measure: MeasureName;
  /** The element's computed style: colours and font of the page. */
  style: CSSStyleDeclaration;
  onHover: (index: number | undefined) => void;
}

const BAR_SHARE = 0.62;
const WIDEST_BAR = 56;
const CORNER = 0.25;
/** Width of an axis label, in pixels. */
const LABEL_WIDTH = 92;

/** Steps of the axis: 1, 2 and 5 of each power of ten, from 10⁻⁵ to 10⁹. */
const INCREMENTS = Array.from({ length: 15 }, (_, index) => index - 5).flatMap((power) =>
  [1, 2, 5].map((digit) => digit * 10 ** power),
);

export function barOptions({ width, height, labels, measure, style, onHover }: BarOptions): UPlot.Options {
  const { short, least } = MEASURES[measure];
  const bar = style.getPropertyValue('--chart-1');
  const grid = style.getPropertyValue('--chart-grid');
  const text = style.getPropertyValue('--mantine-color-dimmed');
  const font = `12px ${style.fontFamily}`;
  const axis = { stroke: text, font, ticks: { show: false } } as const;
  return {
    width,
    height,
    legend: { show: false },
    cursor: { drag: { setScale: false }, points: { show: false }, y: false },
    scales: {
      x: { time: false, range: (_plot, _min, max) => [-0.5, Math.max(max, 0) + 0.5] },
      y: { range: (_plot, _min, max) => [0, Math.max(least, max * 1.1)] },
    },
    axes: [
      {
        ...axis,
        size: 30,
        grid: { show: false },
        splits: (plot) => everyNth(labels.length, Math.max(1, Math.floor(plot.width / LABEL_WIDTH))),
        values: (_plot, splits) => splits.map((index) => labels[index] ?? ''),
      },
      {
        ...axis,
        size: 52,
        grid: { stroke: grid, width: 1 },
        incrs: INCREMENTS.filter((increment) => increment * 4 >= least),
        values: (_plot, splits) => splits.map((value) => short(value)),
      },
    ],
    series: [
      {},
      {
        fill: bar,
        stroke: bar,
        width: 0,
        paths: UPlot.paths.bars!({ size: [BAR_SHARE, WIDEST_BAR], radius: CORNER }),
        points: { show: false },
      },
    ],
    hooks: { setCursor: [(plot) => onHover(plot.cursor.idx ?? undefined)] },
  };
}

/** Indexes of labels that do not overlap. */
function everyNth(length: number, fitting: number): number[] {
  const step = Math.max(1, Math.ceil(length / fitting));
  return Array.from({ length: Math.ceil(length / step) }, (_, index) => index * step);
}
