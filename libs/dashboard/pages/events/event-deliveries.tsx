import { Anchor, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { StoredEvent } from '#client';
import { Section } from '../../components/section';
import { StatusBadge } from '../../components/status-badge';
import { Time } from '../../components/time';
import { milliseconds } from '../../format/number';

/** The attempts to post an event, oldest first. */
export function EventDeliveries({ deliveries }: { deliveries: NonNullable<StoredEvent['deliveries']> }) {
  if (deliveries.length === 0) {
    return (
      <Section title="Deliveries">
        <Text size="sm">No webhook subscribes to this event, or no delivery has been attempted yet.</Text>
      </Section>
    );
  }
  return (
    <Section title="Deliveries" flush>
      <div className="scroll-x">
        <table className="table wide">
          <thead>
            <tr>
              {['Webhook', 'Status', 'Answer', 'When'].map((column) => (
                <th key={column} scope="col">
                  {column}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {deliveries.map(({ id, url, attempt, status, response_code, response_time_ms, error, timestamp }) => (
              <tr key={id}>
                <td style={{ overflowWrap: 'anywhere' }}>
                  <Anchor
                    size="sm"
                    renderRoot={(props) => <Link to="/deliveries/$deliveryId" params={{ deliveryId: id }} {...props} />}
                  >
                    {url ?? 'A webhook that is deleted'}
                  </Anchor>
                </td>
                <td data-label="Status">
                  <StatusBadge status={status} /> attempt {attempt}
                </td>
                <td data-label="Answer">
                  {response_code ?? error ?? 'no answer'} · {milliseconds(response_time_ms)}
                </td>
                <td data-label="When">
                  <Time value={timestamp} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Section>
  );
}
