import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useGateway } from '../../api/gateway';
import { preloadChart } from '../../components/chart/bar-chart.lazy';
import { MeasureControl } from '../../components/chart/measure-control';
import type { MeasureName } from '../../components/chart/measures';
import { TimelineChart } from '../../components/chart/timeline-chart';
import { FaultAlert } from '../../components/feedback/fault-alert';
import { Section } from '../../components/section';
import { weekStatistics } from './overview-queries';

const HEIGHT = 200;

export function Timeline() {
  useEffect(preloadChart, []);
  const { data, error, refetch } = useQuery(weekStatistics(useGateway()));
  const [measure, setMeasure] = useState<MeasureName>('messages');
  return (
    <Section
      title="Timeline"
      description="The last seven days, in UTC"
      actions={<MeasureControl value={measure} onChange={setMeasure} />}
    >
      {error ? (
        <FaultAlert error={error} onRetry={() => void refetch()} />
      ) : data ? (
        <TimelineChart statistics={data} group="day" measure={measure} height={HEIGHT} />
      ) : (
        <Skeleton height={HEIGHT} />
      )}
    </Section>
  );
}
