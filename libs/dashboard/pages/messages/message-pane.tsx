import { ActionIcon, Group, Skeleton, Stack, Text } from '@mantine/core';
import { Cross1Icon } from '@radix-ui/react-icons';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Message, TimelineStep } from '#client';
import { useGateway } from '../../api/gateway';
import { queries } from '../../api/queries';
import { Identifier } from '../../components/copy/identifier';
import { FaultAlert } from '../../components/feedback/fault-alert';
import { RetryMessages } from '../../components/messages/retry-messages';
import { RequireScope } from '../../session/require-scope';
import classes from './message-pane.module.css';
import { Omitted } from './omitted';
import { Summary } from './summary';
import { TimelineSteps } from './timeline-steps';

/** Shows the timeline of a message beside its conversation. */
export default function MessagePane({ conversationId, messageId }: { conversationId: string; messageId: string }) {
  return (
    <aside className={classes.pane} aria-label="What happened">
      <header className={classes.head}>
        <div className={classes.title}>
          <Text fw={600} component="h2">
            What happened
          </Text>
          <Identifier value={messageId} label="message id" />
        </div>
        <ActionIcon
          variant="subtle"
          color="gray"
          c="dimmed"
          aria-label="Close what happened"
          renderRoot={(props) => (
            <Link to="/conversations/$conversationId" params={{ conversationId }} search={true} {...props} />
          )}
        >
          <Cross1Icon />
        </ActionIcon>
      </header>
      <div className={classes.body} tabIndex={0} role="region" aria-label="Steps of the message">
        <RequireScope anyOf={['read:messages']}>
          <Life conversationId={conversationId} id={messageId} />
        </RequireScope>
      </div>
    </aside>
  );
}

function Life({ conversationId, id }: { conversationId: string; id: string }) {
  const gateway = useGateway();
  const timeline = useQuery(queries.timeline(gateway, id));
  const message = useMessage(conversationId, id);
  if (timeline.error) return <FaultAlert error={timeline.error} onRetry={() => void timeline.refetch()} />;
  if (!timeline.data) return <Skeleton height={320} />;
  return (
    <Stack gap="md">
      <Summary conversationId={conversationId} summary={timeline.data.summary} />
      {message && (
        <div>
          <Text size="xs" c="dimmed">
            {authorOf(message)} wrote
          </Text>
          <Text size="sm" lineClamp={4} dir="auto" style={{ overflowWrap: 'anywhere' }}>
            {message.content}
          </Text>
        </div>
      )}
      {message?.status === 'failed' && (
        <Group>
          <RetryMessages ids={[id]} />
        </Group>
      )}
      <TimelineSteps steps={timeline.data.steps.filter(isMain)} />
      <Records steps={timeline.data.steps.filter((step) => !isMain(step))} />
      <Omitted steps={timeline.data.omitted} />
    </Stack>
  );
}

const RECORDS: ReadonlySet<TimelineStep['step']> = new Set(['event', 'webhook', 'audit']);

function isMain({ step }: TimelineStep): boolean {
  return !RECORDS.has(step);
}

/** The steps that only a developer needs. */
function Records({ steps }: { steps: readonly TimelineStep[] }) {
  if (steps.length === 0) return null;
  return (
    <details className={classes.records}>
      <summary>Events, webhooks and requests ({steps.length})</summary>
      <TimelineSteps steps={steps} label="Events, webhooks and requests" />
    </details>
  );
}

type ReadMessage = Pick<Message, 'direction' | 'content' | 'status' | 'sent_by'>;

function authorOf({ direction, sent_by }: ReadMessage): string {
  if (direction === 'inbound') return 'The person';
  return sent_by === 'assistant' ? 'The assistant' : 'The business';
}

/** The message from the chat's loaded pages; an older message is loaded by its id. */
function useMessage(conversationId: string, id: string): ReadMessage | undefined {
  const gateway = useGateway();
  const chat = useInfiniteQuery(queries.messages(gateway, conversationId));
  const shown = chat.data?.pages.flatMap(({ data }) => data).find((each) => each.id === id);
  const { data } = useQuery({ ...queries.message(gateway, id), enabled: !chat.isPending && !shown });
  return shown ?? data;
}
