import { Anchor, SegmentedControl, Skeleton, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { AiUsage, AiUsageParams } from '#client';
import { useGateway } from '../../api/gateway';
import { queries } from '../../api/queries';
import { FaultAlert } from '../../components/feedback/fault-alert';
import { Section } from '../../components/section';
import { count, usd } from '../../format/number';
import { useMay } from '../../session/use-session';
import { CostOrigin } from './cost-origin';

type CostGroup = NonNullable<AiUsageParams['group_by']>;
type Item = AiUsage['items'][number];

const GROUPS: { value: CostGroup; label: string }[] = [
  { value: 'conversation', label: 'Conversation' },
  { value: 'key', label: 'Key' },
  { value: 'model', label: 'Model' },
  { value: 'account', label: 'Account' },
  { value: 'day', label: 'Day' },
];

/** The AI's costs in the last days of the viewer's time zone, by origin or by day. */
export function AiCosts({ days }: { days: number }) {
  const gateway = useGateway();
  const [group, setGroup] = useState<CostGroup>('conversation');
  const { data, error, refetch } = useQuery(queries.aiCosts(gateway, group, days, useMay('read:conversations')));
  return (
    <Section
      title="AI costs"
      description={`The last ${days === 1 ? 'day' : `${days} days`}, in ${Intl.DateTimeFormat().resolvedOptions().timeZone}.`}
      flush
      actions={<SegmentedControl aria-label="Costs by" data={GROUPS} value={group} onChange={setGroup} />}
    >
      {error ? (
        <FaultAlert error={error} onRetry={() => void refetch()} />
      ) : data ? (
        <Costs group={group} items={data.items} names={data.names} />
      ) : (
        <Skeleton height={120} radius={0} />
      )}
    </Section>
  );
}

interface CostsProps {
  group: CostGroup;
  items: readonly Item[];
  /** Names of keys, people and accounts, by id. */
  names: ReadonlyMap<string, string>;
}

function Costs({ group, items, names }: CostsProps) {
  if (items.length === 0)
    return (
      <Text size="sm" p="md">
        The AI was not asked in this period.
      </Text>
    );
  return (
    <table className="table tight">
      <thead>
        <tr>
          <th scope="col">{GROUPS.find(({ value }) => value === group)!.label}</th>
          <th scope="col">Answers</th>
          <th scope="col">Tokens</th>
          <th scope="col">Cost</th>
        </tr>
      </thead>
      <tbody>
        {items.map((item) => (
          <tr key={String(item[group])}>
            <td style={{ overflowWrap: 'anywhere' }}>
              <Named group={group} item={item} names={names} />
            </td>
            <td className="numeric">{count(item.requests)}</td>
            <td className="numeric">{count(item.tokens)}</td>
            <td className="numeric nowrap">{usd(item.cost_usd)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Named({ group, item, names }: { group: CostGroup; item: Item; names: CostsProps['names'] }) {
  const id = item[group];
  if (group === 'key') return <CostOrigin keyId={id ?? undefined} name={id ? names.get(id) : undefined} />;
  if (group === 'conversation')
    return (
      <Anchor
        size="sm"
        renderRoot={(props) => <Link to="/conversations/$conversationId" params={{ conversationId: id! }} {...props} />}
      >
        {names.get(id!) ?? id}
      </Anchor>
    );
  if (group === 'account' && !id) return <Text size="sm">Without a conversation</Text>;
  return <Text size="sm">{names.get(id!) ?? id}</Text>;
}
