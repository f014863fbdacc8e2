import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { ApiKeyUsage } from '#client';
import { Section } from '../../../components/section';
import { compactCount, count, usd } from '../../../format/number';

/** The days with requests, newest first. */
export function CostByDay({ days }: { days: ApiKeyUsage['by_day'] }) {
  const busy = days.filter(({ requests, cost_usd }) => requests > 0 || cost_usd > 0).toReversed();
  return (
    <Table
      title="By day"
      description="The last 30 days, in UTC"
      columns={['Day', 'Requests', 'Refused', 'Cost']}
      empty="No requests in this period."
    >
      {busy.map(({ date, requests, refusals, cost_usd, by_model }) => (
        <tr key={date} title={by_model.map(({ model, cost_usd: cost }) => `${model}: ${usd(cost)}`).join(', ')}>
          <td className="nowrap">{date}</td>
          <td>{count(requests)}</td>
          <td>{count(refusals)}</td>
          <td className="nowrap">{usd(cost_usd)}</td>
        </tr>
      ))}
    </Table>
  );
}

export function CostByModel({ models }: { models: ApiKeyUsage['by_model'] }) {
  return (
    <Table
      title="By model"
      description="The last 90 days, highest cost first"
      columns={['Model', 'Answers', 'Tokens', 'Cost']}
      empty="The AI made no answer for this key."
    >
      {models.map(({ model, requests, input_tokens, output_tokens, cost_usd }) => (
        <tr key={model}>
          <td style={{ overflowWrap: 'anywhere' }}>{model}</td>
          <td>{count(requests)}</td>
          <td className="nowrap">{compactCount(input_tokens + output_tokens)}</td>
          <td className="nowrap">{usd(cost_usd)}</td>
        </tr>
      ))}
    </Table>
  );
}

interface TableProps {
  title: string;
  description: string;
  columns: readonly string[];
  empty: string;
  children: readonly ReactNode[];
}

function Table({ title, description, columns, empty, children }: TableProps) {
  return (
    <Section title={title} description={description} flush>
      {children.length === 0 ? (
        <Text size="sm" p="md">
          {empty}
        </Text>
      ) : (
        <table className="table tight numeric">
          <thead>
            <tr>
              {columns.map((column) => (
                <th key={column} scope="col">
                  {column}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>{children}</tbody>
        </table>
      )}
    </Section>
  );
}
