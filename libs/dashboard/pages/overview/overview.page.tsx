import { Button, SimpleGrid, Stack } from '@mantine/core';
import { ReloadIcon } from '@radix-ui/react-icons';
import { useQueryClient } from '@tanstack/react-query';
import { PageHeader } from '../../components/page-header';
import { useMay } from '../../session/use-session';
import { FirstSteps } from './first-steps';
import { Health } from './health';
import { Integrations } from './integrations/integrations';
import { Landing } from './landing';
import { LatestFailures } from './latest-failures';
import { Problems } from './problems/problems';
import { Timeline } from './timeline';
import { Today } from './today';
import { Unanswered } from './unanswered';

export function Overview() {
  const client = useQueryClient();
  const maySeeStatus = useMay('read:status');
  const mayRead = useMay('read:messages');
  const mayReadPeople = useMay('read:conversations');
  const mayCount = useMay('admin:settings');
  return (
    <>
      <PageHeader title="Overview" description="The gateway’s health and traffic.">
        <Button variant="default" leftSection={<ReloadIcon />} onClick={() => void client.invalidateQueries()}>
          Refresh
        </Button>
      </PageHeader>
      {maySeeStatus ? (
        <Stack gap="lg">
          <Health />
          <Problems />
          {mayReadPeople && <Unanswered />}
          <FirstSteps />
          <Today />
          <Integrations />
          <SimpleGrid cols={{ base: 1, lg: mayCount && mayRead ? 2 : 1 }} spacing="lg">
            {mayCount && <Timeline />}
            {mayRead && <LatestFailures />}
          </SimpleGrid>
        </Stack>
      ) : (
        <Landing />
      )}
    </>
  );
}
