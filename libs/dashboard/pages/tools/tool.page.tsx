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
import { RequireScope } from '../../session/require-scope';
import { useMay } from '../../session/use-session';
import { ToolActions } from './tool-actions';
import { ToolCalls } from './tool-calls';
import { ToolStatus } from './tool-status';

/** A tool with its calls. */
export default function ToolPage() {
  const { toolId = '' } = useParams({ strict: false });
  return (
    <>
      <Anchor size="sm" renderRoot={(props) => <Link to="/tools" {...props} />}>
        ← All tools
      </Anchor>
      <RequireScope anyOf={['admin:settings']}>
        <Detail id={toolId} />
      </RequireScope>
    </>
  );
}

function Detail({ id }: { id: string }) {
  const { data, error, refetch } = useQuery(queries.tool(useGateway(), id));
  const mayReadCalls = useMay('read:messages');
  if (error) return <FaultAlert error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton height={160} radius="lg" mt="md" />;
  return (
    <Stack gap="lg" mt="xs">
      <div>
        <PageHeader title={data.name} description={data.description}>
          <ToolActions tool={data} />
        </PageHeader>
        <Group gap="md">
          <ToolStatus enabled={data.enabled} />
          <Identifier value={data.id} label="tool id" />
          <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
            {data.url} · {data.timeout_seconds} s to answer
          </Text>
        </Group>
      </div>
      <Section title="Parameters">
        <CodeBlock code={JSON.stringify(data.parameters, null, 2)} label="JSON Schema" />
      </Section>
      {mayReadCalls && <ToolCalls toolId={id} />}
    </Stack>
  );
}
