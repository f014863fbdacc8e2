import { Anchor, Skeleton, Text } from '@mantine/core';
import { CheckCircledIcon } from '@radix-ui/react-icons';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Message } from '#client';
import { useGateway } from '../../api/gateway';
import { queries } from '../../api/queries';
import { EmptyState } from '../../components/feedback/empty-state';
import { FaultAlert } from '../../components/feedback/fault-alert';
import { PlatformIcon } from '../../components/people/platform';
import { useAccountName } from '../../components/people/use-account-name';
import { Section } from '../../components/section';
import { Time } from '../../components/time';
import { count } from '../../format/number';
import classes from './latest-failures.module.css';

/** The account, if the platform has several. */
function AccountName(of: Pick<Message, 'platform' | 'account'>) {
  const name = useAccountName(of);
  return name && `${name} · `;
}

/** The newest failed messages, of any age. */
export function LatestFailures() {
  const { data, error, refetch } = useQuery(queries.failures(useGateway()));
  return (
    <Section
      title="Failed messages"
      description={data && data.total > data.data.length ? `The newest of ${count(data.total)}` : undefined}
    >
      {error ? (
        <FaultAlert error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Skeleton height={180} />
      ) : data.data.length === 0 ? (
        <EmptyState icon={<CheckCircledIcon />} title="No failed messages">
          Messages that do not reach their recipient are listed here with the reason.
        </EmptyState>
      ) : (
        <ul className={classes.list}>
          {data.data.map(({ id, platform, account, conversation_id, error: failure, created_at }) => (
            <li key={id}>
              <PlatformIcon platform={platform} />
              <div className={classes.text}>
                <Text size="sm" fw={550}>
                  {failure?.message ?? 'Failed'}
                </Text>
                <Text size="xs" c="dimmed">
                  <AccountName platform={platform} account={account} />
                  {failure?.code} · <Time value={created_at} form="relative" /> ·{' '}
                  <Anchor
                    size="xs"
                    underline="always"
                    renderRoot={(props) => (
                      <Link
                        to="/conversations/$conversationId/messages/$messageId"
                        params={{ conversationId: conversation_id, messageId: id }}
                        {...props}
                      />
                    )}
                  >
                    what happened
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
