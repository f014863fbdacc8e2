import { Button, SimpleGrid, Stack } from '@mantine/core';
import { RocketIcon } from '@radix-ui/react-icons';
import { useState } from 'react';
import { EmptyState } from '../../components/feedback/empty-state';
import { PageHeader } from '../../components/page-header';
import { RequireScope } from '../../session/require-scope';
import { useRecentEvents } from '../../live/use-live';
import { sessions } from '../../session/session';
import { useEnvironment, useSession } from '../../session/use-session';
import { MagicRecipients } from './magic-recipients';
import { PersonForm } from './person-form';
import { Steps } from './steps';
import { WebhookSteps } from './webhook-steps';
import { Notice } from '../../components/feedback/notice';

/** Simulates a person's message and shows every step that follows. Needs a test key. */
export default function Playground() {
  const isTest = useEnvironment() === 'test';
  return (
    <>
      <PageHeader
        title="Playground"
        description="Write as a person on any platform, and watch what the gateway does. Nothing leaves the gateway: the sandbox simulates the platforms and the AI."
      />
      <RequireScope anyOf={['write:messages']}>{isTest ? <Sandbox /> : <NeedsTestKey />}</RequireScope>
    </>
  );
}

function Sandbox() {
  const [conversationId, setConversationId] = useState<string>();
  const [since, setSince] = useState<number>();
  const events = useRecentEvents(since);
  const begin = () => setSince(Date.now());
  /** Hides the steps after a refused request, which has none. */
  const end = () => setSince(undefined);
  return (
    <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
      <Stack gap="lg">
        <PersonForm
          onPlay={begin}
          onRefused={end}
          onPlayed={({ conversation_id }) => setConversationId(conversation_id)}
        />
        <MagicRecipients onSend={begin} onRefused={end} onSent={() => setConversationId(undefined)} />
      </Stack>
      <Stack gap="lg">
        <Steps since={since} events={events} conversationId={conversationId} />
        {since !== undefined && events.length > 0 && <WebhookSteps key={since} since={since} events={events} />}
      </Stack>
    </SimpleGrid>
  );
}

function NeedsTestKey() {
  const { keys } = useSession();
  return (
    <EmptyState icon={<RocketIcon />} title="The playground needs a test key">
      {keys.test ? (
        <Button onClick={() => sessions.switchTo('test')}>Switch to Test</Button>
      ) : (
        <Notice tone="neutral">
          Sign out, and sign in with a key that begins with service_sk_test_. The first start of the gateway printed a
          test key. You can create more on the page API keys.
        </Notice>
      )}
    </EmptyState>
  );
}
