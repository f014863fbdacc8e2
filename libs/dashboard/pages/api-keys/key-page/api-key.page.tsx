import { Anchor, Skeleton, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useGateway } from '../../../api/gateway';
import { queries } from '../../../api/queries';
import { FaultAlert } from '../../../components/feedback/fault-alert';
import { PageHeader } from '../../../components/page-header';
import { RequireScope } from '../../../session/require-scope';
import { KeyFacts } from './key-facts';
import { KeyUsage } from './key-usage';

/** A key's scopes, creator and usage. */
export default function ApiKeyPage() {
  const { keyId = '' } = useParams({ strict: false });
  return (
    <>
      <Anchor size="sm" renderRoot={(props) => <Link to="/api-keys" {...props} />}>
        ← All keys
      </Anchor>
      <RequireScope anyOf={['admin:users', 'admin:settings']}>
        <Detail id={keyId} />
      </RequireScope>
    </>
  );
}

function Detail({ id }: { id: string }) {
  const { data, error, refetch } = useQuery(queries.apiKey(useGateway(), id));
  if (error) return <FaultAlert error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton height={320} radius="lg" mt="md" />;
  return (
    <Stack gap="lg" mt="xs">
      <PageHeader title={data.name} />
      <KeyFacts apiKey={data} />
      <KeyUsage apiKey={data} />
    </Stack>
  );
}
