import { Button, Group, Progress, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core';
import { ReloadIcon } from '@radix-ui/react-icons';
import { useQuery } from '@tanstack/react-query';
import type { Status } from '#client';
import { useGateway } from '../../api/gateway';
import { queries } from '../../api/queries';
import { FaultAlert } from '../../components/feedback/fault-alert';
import { PageHeader } from '../../components/page-header';
import { Section } from '../../components/section';
import { StatCard } from '../../components/stat-card';
import { StatusBadge } from '../../components/status-badge';
import { durationInWords } from '../../format/time';
import { RequireScope } from '../../session/require-scope';
import { useEnvironment, useMay } from '../../session/use-session';
import { AiBudget } from './ai-budget';
import { Backups } from './backups';

const COMPONENTS: Readonly<Record<keyof Status['components'], string>> = {
  database: 'Database',
  cache: 'Cache',
  ai_provider: 'AI provider',
  workers: 'Background work',
};
const RESOURCES = [
  ['cpu_percent', 'Processor'],
  ['memory_percent', 'Memory'],
  ['disk_percent', 'Disk'],
] as const;
/** Percent from which a bar warns. */
const NEARLY_FULL = 90;

export default function System() {
  const status = useQuery(queries.status(useGateway()));
  const isLive = useEnvironment() === 'live';
  const mayBackUp = useMay('admin:settings');
  return (
    <>
      <PageHeader title="System" description="Components of the gateway and their resource usage.">
        <Button
          variant="default"
          leftSection={<ReloadIcon />}
          loading={status.isRefetching}
          onClick={() => void status.refetch()}
        >
          Refresh
        </Button>
      </PageHeader>
      <RequireScope anyOf={['read:status']}>
        {status.error ? (
          <FaultAlert error={status.error} onRetry={() => void status.refetch()} />
        ) : !status.data ? (
          <Skeleton height={300} radius="lg" />
        ) : (
          <Stack gap="lg">
            <SimpleGrid cols={{ base: 1, xs: 3 }} spacing={{ base: 'xs', xs: 'lg' }}>
              <StatCard label="Health" value={capitalised(status.data.status)} />
              <StatCard label="Version" value={status.data.version} />
              <StatCard label="Running for" value={durationInWords(status.data.uptime_seconds)} />
            </SimpleGrid>
            <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
              <Components status={status.data} />
              <Resources status={status.data} />
            </SimpleGrid>
            <AiBudget />
            {isLive && mayBackUp && <Backups />}
          </Stack>
        )}
      </RequireScope>
    </>
  );
}

function Components({ status: { components } }: { status: Status }) {
  const ai = useQuery(queries.aiStatus(useGateway())).data;
  return (
    <Section title="Components">
      <Stack gap="sm">
        {Object.entries(components).map(([name, state]) => (
          <Group key={name} justify="space-between">
            <Text size="sm">{COMPONENTS[name as keyof Status['components']] ?? name}</Text>
            {name === 'ai_provider' && ai?.configured === false ? (
              <StatusBadge status="disabled">not set up</StatusBadge>
            ) : (
              <StatusBadge status={state} />
            )}
          </Group>
        ))}
      </Stack>
    </Section>
  );
}

function Resources({ status: { resources } }: { status: Status }) {
  return (
    <Section title="Resources">
      <Stack gap="sm">
        {RESOURCES.map(([name, title]) => (
          <div key={name}>
            <Group justify="space-between" mb={4}>
              <Text size="sm">{title}</Text>
              <Text size="sm" className="numeric">
                {resources[name].toFixed(0)} %
              </Text>
            </Group>
            <Progress
              value={resources[name]}
              color={resources[name] >= NEARLY_FULL ? 'orange' : undefined}
              size="sm"
              aria-label={`${title}: ${resources[name].toFixed(0)} %`}
            />
          </div>
        ))}
      </Stack>
    </Section>
  );
}

function capitalised(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
