import { Anchor, Drawer, Group, Select, Stack, Text, UnstyledButton } from '@mantine/core';
import { MagicWandIcon } from '@radix-ui/react-icons';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { ToolCall, ToolCallListParams } from '#client';
import { useGateway } from '../../api/gateway';
import { queries } from '../../api/queries';
import { CodePart, prettyJson } from '../../components/copy/code-block';
import { Identifier } from '../../components/copy/identifier';
import { EmptyState } from '../../components/feedback/empty-state';
import { useFocusReturn } from '../../components/hooks/use-focus-return';
import { Listing } from '../../components/listing';
import { Section } from '../../components/section';
import { StatusBadge } from '../../components/status-badge';
import { Time } from '../../components/time';
import { milliseconds } from '../../format/number';

const STATUSES = [
  { value: 'success', label: 'Success' },
  { value: 'failed', label: 'Failed' },
  { value: 'refused', label: 'Refused' },
  { value: 'timed_out', label: 'Timed out' },
] as const;

/** The calls of a tool, newest first. */
export function ToolCalls({ toolId }: { toolId: string }) {
  const [status, setStatus] = useState<ToolCallListParams['status'] | null>(null);
  const [opened, setOpened] = useState<ToolCall>();
  const calls = useInfiniteQuery(queries.toolCalls(useGateway(), toolId, status ? { status } : {}));
  const items = calls.data?.pages.flatMap(({ data }) => data) ?? [];
  return (
    <Section
      title="Calls"
      flush
      actions={
        <Select
          aria-label="Status"
          placeholder="All statuses"
          clearable
          w={150}
          data={STATUSES}
          value={status}
          onChange={setStatus}
          clearButtonProps={{ 'aria-label': 'All statuses' }}
        />
      }
    >
      <Listing
        query={calls}
        columns={['Call', 'Status', 'Duration', '-Message']}
        empty={
          <EmptyState icon={<MagicWandIcon />} title="No calls">
            The assistant has not called the tool. A test is not listed.
          </EmptyState>
        }
      >
        {items.map((call) => (
          <tr key={call.id}>
            <td>
              <UnstyledButton className="link-button" onClick={() => setOpened(call)}>
                <Time value={call.created_at} form="short" />
              </UnstyledButton>
              <Text size="xs" c="dimmed" className="mono" lineClamp={1} maw={480}>
                {JSON.stringify(call.arguments)}
              </Text>
            </td>
            <td data-label="Status">
              <StatusBadge status={call.status}>{wordOf(call)}</StatusBadge>
            </td>
            <td data-label="Duration" className="numeric">
              {milliseconds(call.ms)}
            </td>
            <td>
              <WhatHappened call={call} />
            </td>
          </tr>
        ))}
      </Listing>
      {opened && <CallDetail call={opened} onClose={() => setOpened(undefined)} />}
    </Section>
  );
}

/** A call with its arguments and its result, in a drawer beside the list. */
function CallDetail({ call, onClose }: { call: ToolCall; onClose: () => void }) {
  useFocusReturn();
  return (
    <Drawer opened onClose={onClose} position="right" size="lg" title={`Call of ${call.name}`}>
      <Stack gap="lg">
        <Group gap="md">
          <StatusBadge status={call.status}>{wordOf(call)}</StatusBadge>
          <Text size="sm" className="numeric">
            {milliseconds(call.ms)}
          </Text>
          <Text size="sm" c="dimmed">
            <Time value={call.created_at} />
          </Text>
        </Group>
        <Group gap="md">
          <Identifier value={call.id} label="call id" />
          <WhatHappened call={call} />
        </Group>
        <CodePart title="Arguments" code={JSON.stringify(call.arguments, null, 2)} />
        {call.error && <Text size="sm">{call.error}</Text>}
        {call.result !== null && <CodePart title="Result" code={prettyJson(call.result)} />}
      </Stack>
    </Drawer>
  );
}

function WhatHappened({ call: { message_id } }: { call: ToolCall }) {
  if (message_id === null) return null;
  return (
    <Anchor
      size="sm"
      renderRoot={(props) => <Link to="/messages/$messageId" params={{ messageId: message_id }} {...props} />}
    >
      What happened
    </Anchor>
  );
}

function wordOf({ status }: Pick<ToolCall, 'status'>): string {
  return status.replace('_', ' ');
}
