import { Anchor, Button, Group, SimpleGrid } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import type { AiProviderName } from '#client';
import { useGateway } from '../../api/gateway';
import { queries } from '../../api/queries';
import { Section } from '../../components/section';
import { Step, STEPS } from '../../components/guide/steps';
import { useEnvironment, useMay, useSession } from '../../session/use-session';
import { detailsOf, isNotConfigured } from './integrations/integration-state';

/** Only new gateways need it. */
const ProviderKey = lazy(async () => ({
  default: (await import('../settings/providers/provider-key')).ProviderKey,
}));

/** Shown until a platform and the AI are set up. An outage does not bring them back. */
export function FirstSteps() {
  const gateway = useGateway();
  const status = useQuery(queries.status(gateway)).data;
  const ai = useQuery(queries.aiStatus(gateway)).data;
  const { keys } = useSession();
  const mayChange = useMay('admin:settings');
  const isTest = useEnvironment() === 'test';
  const [pasted, setPasted] = useState<AiProviderName>();
  if (!status || !ai) return null;
  const hasPlatform = Object.values(status.integrations).some((state) => !isNotConfigured(detailsOf(state)));
  const hasAi = ai.configured;
  // The dialog stays open after the key is stored: the provider may refuse it.
  if (isTest || (hasPlatform && hasAi && !pasted)) return null;
  return (
    <Section title="First steps" description="Three steps from here to a bot that answers.">
      <SimpleGrid cols={{ base: 1, md: 3 }} spacing="lg" component="ol" className={STEPS}>
        <Step number={1} title="Try the sandbox" done={false}>
          {keys.test ? (
            <>
              Switch to <b>Test</b> and open the{' '}
            </>
          ) : (
            'Sign in with a test key and open the '
          )}
          <Anchor renderRoot={(props) => <Link to="/playground" {...props} />} underline="always" inherit>
            playground
          </Anchor>
          : write as a person, and watch the answer come.
        </Step>
        <Step number={2} title="Connect a platform" done={hasPlatform}>
          Telegram is the quickest: three minutes.
          {mayChange && !hasPlatform && (
            <Group mt={6}>
              <Button size="compact-sm" renderRoot={(props) => <Link to="/accounts/connect" {...props} />}>
                Connect a platform
              </Button>
            </Group>
          )}
        </Step>
        <Step number={3} title="Connect the AI" done={hasAi}>
          Create a key at a provider, and paste it here.
          {mayChange && (!hasAi || pasted) && <PasteKey name={pasted} onChange={setPasted} />}
        </Step>
      </SimpleGrid>
    </Section>
  );
}

const PROVIDERS: readonly (readonly [name: AiProviderName, label: string])[] = [
  ['anthropic', 'Anthropic'],
  ['openai', 'OpenAI or another'],
];

interface PasteKeyProps {
  /** The provider whose dialog is open. */
  name: AiProviderName | undefined;
  onChange: (name: AiProviderName | undefined) => void;
}

/** Opens the dialog in which the key of a provider is pasted. */
function PasteKey({ name, onChange }: PasteKeyProps) {
  return (
    <Group mt={6} gap="xs">
      {PROVIDERS.map(([provider, label]) => (
        <Button key={provider} size="compact-sm" variant="default" onClick={() => onChange(provider)}>
          {label}
        </Button>
      ))}
      {name && (
        <Suspense>
          <ProviderKey
            provider={{ name, configured: false, source: null, base_url: null }}
            onClose={() => onChange(undefined)}
          />
        </Suspense>
      )}
    </Group>
  );
}
