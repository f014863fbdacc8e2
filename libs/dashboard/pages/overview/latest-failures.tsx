import { Anchor, Skeleton, Text } from '@mantine/core';
import { CheckCircledIcon } from '@radix-ui/react-icons';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useGateway } from '../../api/gateway';
import { queries } from '../../api/queries';
import { EmptyState } from '../../components/feedback/empty-state';
import { FaultAlert } from '../../components/feedback/fault-alert';
import { PlatformIcon } from '../../components/people/platform';
import { Section } from '../../components/section';
import { Time } from '../../components/time';
import classes from './latest-failures.module.css';

const SHOWN = 5;

/** The newest messages that a platform has refused. */
export function LatestFailures() {
  const { data, error, refetch } = useQuery(queries.failures(useGateway()));
  return (
    <Section title="Latest failures" description="Among the newest messages sent">
      {error ? (
        <FaultAlert error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Skeleton height={180} />
      ) : data.length === 0 ? (
        <EmptyState icon={<CheckCircledIcon />} title="Nothing failed">
          Messages that a platform refuses are listed here, with the reason.
        </EmptyState>
      ) : (
        <ul className={classes.list}>
          {data.slice(0, SHOWN).map(({ id, platform, conversation_id, error: failure, created_at }) => (
            <li key={id}>
              <PlatformIcon platform={platform} />
              <div className={classes.text}>
                <Text size="sm" fw={550}>
                  {failure?.message ?? 'Failed'}
                </Text>
                <Text size="xs" c="dimmed">
                  {failure?.code} · <Time value={created_at} form="relative" /> ·{' '}
                  <Anchor
                    size="xs"
                    underline="always"
                    renderRoot={(props) => (
                      <Link
                        to="/conversations/$conversationId"
                        params={{ conversationId: conversation_id }}
                        {...props}
                      />
                    )}
                  >
                    open the conversation
                  </Anchor>
                </Text>
              </div>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}
