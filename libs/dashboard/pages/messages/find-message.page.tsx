import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Navigate, useParams } from '@tanstack/react-router';
import { useGateway } from '../../api/gateway';
import { queries } from '../../api/queries';
import { FaultAlert } from '../../components/feedback/fault-alert';
import { RequireScope } from '../../session/require-scope';

/** Redirects from a message's id to the message's page, whose URL also needs the conversation's id. */
export default function FindMessage() {
  return (
    <RequireScope anyOf={['read:messages']}>
      <Find />
    </RequireScope>
  );
}

function Find() {
  const { messageId = '' } = useParams({ strict: false });
  const { data, error, refetch } = useQuery(queries.message(useGateway(), messageId));
  if (error) return <FaultAlert error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton height={320} radius="lg" />;
  return (
    <Navigate
      to="/conversations/$conversationId/messages/$messageId"
      params={{ conversationId: data.conversation_id, messageId }}
      replace
    />
  );
}
