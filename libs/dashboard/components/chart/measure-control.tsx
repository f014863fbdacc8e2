import { SegmentedControl } from '@mantine/core';
import { MEASURES, type MeasureName } from './measures';

interface MeasureControlProps {
  value: MeasureName;
  onChange: (measure: MeasureName) => void;
}

/** Chooses the measure of a timeline. */
export function MeasureControl(props: MeasureControlProps) {
  return (
    <SegmentedControl<MeasureName>
      aria-label="Show"
      size="xs"
      data={Object.entries(MEASURES).map(([value, { label }]) => ({ value: value as MeasureName, label }))}
      {...props}
    />
  );
}
