import { Anchor, Code, SimpleGrid, Text } from '@mantine/core';
import { CheckIcon } from '@radix-ui/react-icons';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useGateway } from '../../api/gateway';
import { queries } from '../../api/queries';
import { Section } from '../../components/section';
import { useEnvironment, useSession } from '../../session/use-session';
import classes from './first-steps.module.css';
import { detailsOf, isNotConfigured } from './integrations/integration-state';

/** Shown until a platform and the AI are set up. An outage does not bring them back. */
export function FirstSteps() {
  const gateway = useGateway();
  const status = useQuery(queries.status(gateway)).data;
  const ai = useQuery(queries.aiStatus(gateway)).data;
  const { keys } = useSession();
  const isTest = useEnvironment() === 'test';
  if (!status || !ai) return null;
  const hasPlatform = Object.values(status.integrations).some((state) => !isNotConfigured(detailsOf(state).error));
  const hasAi = ai.configured;
  if (isTest || (hasPlatform && hasAi)) return null;
  return (
    <Section title="First steps" description="Three steps from here to a bot that answers.">
      <SimpleGrid cols={{ base: 1, md: 3 }} spacing="lg" component="ol" className={classes.steps}>
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
          The quickest is Telegram: <Code>@BotFather</Code> gives you a token. Start the gateway with{' '}
          <Code>TELEGRAM_BOT_TOKEN</Code>.
        </Step>
        <Step number={3} title="Connect the AI" done={hasAi}>
          Create a key at Anthropic or at another provider, and enter it on the page{' '}
          <Anchor renderRoot={(props) => <Link to="/settings" {...props} />} underline="always" inherit>
            Settings
          </Anchor>
          , or start the gateway with <Code>ANTHROPIC_API_KEY</Code>.
        </Step>
      </SimpleGrid>
    </Section>
  );
}

function Step({
  number,
  title,
  done,
  children,
}: {
  number: number;
  title: string;
  done: boolean;
  children: ReactNode;
}) {
  return (
    <li className={classes.step}>
      <span className={classes.number} data-done={done}>
        {done ? <CheckIcon aria-label="Done" /> : number}
      </span>
      <div>
        <Text fw={600} size="sm">
          {title}
        </Text>
        <Text size="sm" c="dimmed" component="div">
          {children}
        </Text>
      </div>
    </li>
  );
}
