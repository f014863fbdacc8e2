import { Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { AiProvider } from '#client';
import { useGateway } from '../../../api/gateway';
import { queries } from '../../../api/queries';
import { useSession } from '../../../session/use-session';
import { Section } from '../../../components/section';
import { StatusBadge } from '../../../components/status-badge';
import { ProviderKey } from './provider-key';
import { PROVIDER_NAMES, SOURCES } from './provider-words';

/** The AI providers with their status, and where their keys are pasted. Test keys have none: the sandbox answers. */
export function AiProviders() {
  const gateway = useGateway();
  const isLive = useSession().environment === 'live';
  const { data: providers } = useQuery({ ...queries.aiProviders(gateway), enabled: isLive });
  const { data: status } = useQuery(queries.aiStatus(gateway));
  const [changing, setChanging] = useState<AiProvider>();
  if (!providers) return null;
  return (
    <Section
      title="AI providers"
      description="Who answers. A key works at once on every instance, and is never shown again."
    >
      <Stack gap="md">
        {providers.map((provider) => {
          const { name, configured, source, base_url } = provider;
          const health = status?.providers.find((each) => each.name === name)?.status;
          return (
            <Group key={name} justify="space-between">
              <div>
                <Text fw={500}>{PROVIDER_NAMES[name]}</Text>
                <Text size="sm" c="dimmed">
                  {source === null ? 'No key is set.' : SOURCES[source]}
                  {base_url !== null && ` ${base_url}`}
                </Text>
              </div>
              <Group gap="xs">
                {configured && health && <StatusBadge status={health} />}
                {!configured && <StatusBadge status="disabled">not configured</StatusBadge>}
                <Button variant="default" onClick={() => setChanging(provider)}>
                  {configured ? `Change the key of ${name}` : `Set the key of ${name}`}
                </Button>
              </Group>
            </Group>
          );
        })}
        {status && status.unpriced_models.length > 0 && (
          <Text size="sm">
            Without a price, these models cost as much as the most expensive one: {status.unpriced_models.join(', ')}.
            Set their prices under Costs; 0 for a model on your own machine.
          </Text>
        )}
      </Stack>
      {changing && <ProviderKey provider={changing} onClose={() => setChanging(undefined)} />}
    </Section>
  );
}
