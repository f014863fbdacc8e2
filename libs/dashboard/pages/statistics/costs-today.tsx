import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useGateway } from '../../api/gateway';
import { queries } from '../../api/queries';
import { FaultAlert } from '../../components/feedback/fault-alert';
import { Section } from '../../components/section';
import { counted, usd } from '../../format/number';
import { CostOrigin } from './cost-origin';

interface Cost {
  /** Undefined: the assistant itself. */
  keyId: string | undefined;
  name?: string;
  what: string;
  usd: number;
}

/** Today's AI costs of each key and of the assistant, highest first. */
export function CostsToday() {
  const gateway = useGateway();
  const keys = useQuery(queries.costsToday(gateway));
  const ai = useQuery(queries.aiStatus(gateway));
  const error = keys.error ?? ai.error;
  return (
    <Section title="Highest AI costs today (UTC)" description="By origin: the assistant or an API key." flush>
      {error ? (
        <FaultAlert error={error} onRetry={() => void Promise.all([keys.refetch(), ai.refetch()])} />
      ) : keys.data && ai.data ? (
        <CostTable costs={costsOf(keys.data, ai.data.usage.today.cost_usd)} />
      ) : (
        <Skeleton height={120} radius={0} />
      )}
    </Section>
  );
}

interface KeyCosts {
  id: string;
  name: string;
  models: readonly { model: string; requests: number; cost_usd: number }[];
}

/** Costs without a key are the assistant's: its answers to people. */
function costsOf(keys: readonly KeyCosts[], total: number): Cost[] {
  const ofKeys = keys.flatMap(({ id, name, models }) =>
    models.map(({ model, requests, cost_usd }): Cost => ({
      keyId: id,
      name,
      what: `${model}, ${counted(requests, 'answer')}`,
      usd: cost_usd,
    })),
  );
  const rest = total - ofKeys.reduce((sum, { usd: cost }) => sum + cost, 0);
  const assistant: Cost = { keyId: undefined, what: 'answers to people', usd: Math.max(0, rest) };
  return [assistant, ...ofKeys].toSorted((one, other) => other.usd - one.usd);
}

function CostTable({ costs }: { costs: readonly Cost[] }) {
  return (
    <table className="table tight">
      <thead>
        <tr>
          <th scope="col">Who</th>
          <th scope="col">What</th>
          <th scope="col">Cost</th>
        </tr>
      </thead>
      <tbody>
        {costs.map(({ keyId, name, what, usd: cost }) => (
          <tr key={`${keyId} ${what}`}>
            <td style={{ overflowWrap: 'anywhere' }}>
              <CostOrigin keyId={keyId} name={name} />
            </td>
            <td style={{ overflowWrap: 'anywhere' }}>{what}</td>
            <td className="numeric nowrap">{usd(cost)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
