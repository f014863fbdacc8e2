import { Anchor, Group, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useGateway } from '../../api/gateway';
import { queries } from '../../api/queries';
import { CodeBlock } from '../../components/copy/code-block';
import { Identifier } from '../../components/copy/identifier';
import { FaultAlert } from '../../components/feedback/fault-alert';
import { PageHeader } from '../../components/page-header';
import { Section } from '../../components/section';
import { Time } from '../../components/time';
import { RequireScope } from '../../session/require-scope';
import { EventDeliveries } from './event-deliveries';

/** One event as webhooks get it, with its deliveries. */
export default function EventPage() {
  const { eventId = '' } = useParams({ strict: false });
  return (
    <>
      <PageHeader title="Event" description="The event as webhooks receive it, and its deliveries." />
      <RequireScope anyOf={['read:messages', 'read:status', 'read:conversations']}>
        <Detail id={eventId} />
      </RequireScope>
    </>
  );
}

function Detail({ id }: { id: string }) {
  const { data, error, refetch } = useQuery(queries.event(useGateway(), id));
  if (error) return <FaultAlert error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton height={320} radius="lg" />;
  const { message_id } = data.data;
  return (
    <Stack gap="lg">
      <Group gap="md">
        <Text fw={600}>{data.type}</Text>
        <Identifier value={data.id} label="event id" />
        <Text size="sm" c="dimmed">
          <Time value={data.created_at} />
        </Text>
        {typeof message_id === 'string' && (
          <Anchor
            size="sm"
            renderRoot={(props) => <Link to="/messages/$messageId" params={{ messageId: message_id }} {...props} />}
          >
            What happened to the message
          </Anchor>
        )}
      </Group>
      {data.deliveries && <EventDeliveries deliveries={data.deliveries} />}
      <Section title="Data">
        <CodeBlock code={JSON.stringify(data.data, null, 2)} label="data of the event" maxHeight={520} />
      </Section>
    </Stack>
  );
}
