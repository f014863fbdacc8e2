import { SimpleGrid, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useGateway } from '../../../api/gateway';
import { queries } from '../../../api/queries';
import type { Platform } from '../../../components/people/platform';
import { IntegrationCard } from './integration-card';
import { detailsOf } from './integration-state';

const PLATFORM_COUNT = 3;

export function Integrations() {
  const { data } = useQuery(queries.status(useGateway()));
  return (
    <SimpleGrid cols={{ base: 1, sm: 2, lg: PLATFORM_COUNT }} spacing="lg">
      {data
        ? Object.entries(data.integrations).map(([platform, state]) => (
            <IntegrationCard key={platform} platform={platform as Platform} state={detailsOf(state)} />
          ))
        : Array.from({ length: PLATFORM_COUNT }, (_, index) => <Skeleton key={index} height={190} radius="lg" />)}
    </SimpleGrid>
  );
}
