import { Anchor, Button, Text } from '@mantine/core';
import { MagicWandIcon, PlusIcon } from '@radix-ui/react-icons';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useGateway } from '../../api/gateway';
import { queries } from '../../api/queries';
import { EmptyState } from '../../components/feedback/empty-state';
import { Listing } from '../../components/listing';
import { NewestAttempts } from '../../components/receivers/newest-attempts';
import { PageHeader } from '../../components/page-header';
import { RequireScope } from '../../session/require-scope';
import { useMay } from '../../session/use-session';
import { ToolForm } from './tool-form';
import { ToolStatus } from './tool-status';

/** Number of tools whose calls the list reads: each is a request. */
const WATCHED = 20;

export default function Tools() {
  const [creating, setCreating] = useState(false);
  return (
    <>
      <PageHeader
        title="Tools"
        description="The assistant asks your servers while it answers: signed calls, checked first."
      >
        <Button leftSection={<PlusIcon />} onClick={() => setCreating(true)}>
          Create a tool
        </Button>
      </PageHeader>
      <RequireScope anyOf={['admin:settings']}>
        <ToolTable />
        {creating && <ToolForm onClose={() => setCreating(false)} />}
      </RequireScope>
    </>
  );
}

function ToolTable() {
  const tools = useInfiniteQuery(queries.tools(useGateway()));
  const items = tools.data?.pages.flatMap(({ data }) => data) ?? [];
  const mayReadCalls = useMay('read:messages');
  return (
    <div className="card">
      <Listing
        query={tools}
        columns={['Tool', 'URL', 'Status', 'Calls']}
        empty={
          <EmptyState icon={<MagicWandIcon />} title="No tools">
            Create a tool so that the assistant can look things up, for example where an order is.
          </EmptyState>
        }
      >
        {items.map(({ id, name, description, url, enabled }, index) => (
          <tr key={id}>
            <td>
              <Anchor
                fw={600}
                size="sm"
                style={{ overflowWrap: 'anywhere' }}
                renderRoot={(props) => <Link to="/tools/$toolId" params={{ toolId: id }} {...props} />}
              >
                {name}
              </Anchor>
              <Text size="xs" c="dimmed" lineClamp={2} maw={360}>
                {description}
              </Text>
            </td>
            <td data-label="URL" style={{ overflowWrap: 'anywhere' }}>
              {url}
            </td>
            <td data-label="Status">
              <ToolStatus enabled={enabled} />
            </td>
            <td data-label="Calls">{mayReadCalls && index < WATCHED && <NewestCalls toolId={id} />}</td>
          </tr>
        ))}
      </Listing>
    </div>
  );
}

function NewestCalls({ toolId }: { toolId: string }) {
  const { data } = useQuery(queries.newestCalls(useGateway(), toolId));
  return <NewestAttempts attempts={data} name="calls" />;
}
