import { Anchor, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useGateway } from '../../api/gateway';
import { queries } from '../../api/queries';
import { Section } from '../../components/section';
import { StatusBadge } from '../../components/status-badge';
import { milliseconds } from '../../format/number';
import type { LiveEvent } from '../../live/live-event';
import { useMay } from '../../session/use-session';
import classes from './playground.module.css';

/** Pause after the last event, in milliseconds, until the deliveries are complete. */
const QUIET_MS = 1_500;

interface WebhookStepsProps {
  since: number;
  events: readonly LiveEvent[];
}

/** The webhook deliveries of the events. Reads them after the last event. */
export function WebhookSteps({ since, events }: WebhookStepsProps) {
  const newest = events.at(-1)?.id;
  const [quietAfter, setQuietAfter] = useState<string>();
  useEffect(() => {
    const timer = setTimeout(() => setQuietAfter(newest), QUIET_MS);
    return () => clearTimeout(timer);
  }, [newest]);
  const mayRead = useMay('admin:settings');
  const { data } = useQuery({
    ...queries.deliveriesSince(useGateway(), since, quietAfter),
    enabled: mayRead && quietAfter !== undefined,
  });
  const shown = new Set(events.map(({ id }) => id));
  const deliveries = data?.filter(({ event_id }) => shown.has(event_id)) ?? [];
  if (!data) return null;
  return (
    <Section title="Webhooks">
      {deliveries.length === 0 ? (
        <Text size="sm" c="dimmed">
          No webhook subscribes to these events.{' '}
          <Anchor size="sm" underline="always" renderRoot={(props) => <Link to="/webhooks" {...props} />}>
            Create one
          </Anchor>
        </Text>
      ) : (
        <ul className={classes.recipients}>
          {deliveries.map(({ id, webhookId, url, event_type, status, response_code, response_time_ms }) => (
            <li key={id}>
              <div>
                <Text size="sm" fw={550}>
                  {event_type}
                </Text>
                <Anchor
                  size="xs"
                  renderRoot={(props) => <Link to="/webhooks/$webhookId" params={{ webhookId }} {...props} />}
                >
                  {url}
                </Anchor>
              </div>
              <StatusBadge status={status}>
                {response_code ?? 'no answer'} in {milliseconds(response_time_ms)}
              </StatusBadge>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}
