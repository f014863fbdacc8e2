import { Anchor, Group, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { Delivery, DeliveryDetail } from '#client';
import { CodePart, prettyJson } from '../../../components/copy/code-block';
import { Identifier } from '../../../components/copy/identifier';
import { StatusBadge } from '../../../components/status-badge';
import { Time } from '../../../components/time';
import { milliseconds } from '../../../format/number';

/** The fields of a delivery that a list shows. */
export function DeliverySummary({ delivery }: { delivery: Delivery }) {
  return (
    <>
      <Group gap="md">
        <StatusBadge status={delivery.status} />
        <Text size="sm" className="numeric">
          {delivery.response_code ?? 'no answer'} in {milliseconds(delivery.response_time_ms)} · attempt{' '}
          {delivery.attempt}
        </Text>
        <Text size="sm" c="dimmed">
          <Time value={delivery.timestamp} />
        </Text>
      </Group>
      <Stack gap={2} align="flex-start">
        <Identifier value={delivery.id} label="delivery id" />
        <Identifier value={delivery.event_id} label="event id" />
        <Anchor
          size="sm"
          renderRoot={(props) => <Link to="/events/$eventId" params={{ eventId: delivery.event_id }} {...props} />}
        >
          Open the event
        </Anchor>
      </Stack>
      {delivery.error && <Text size="sm">{delivery.error}</Text>}
      {delivery.next_retry_at && (
        <Text size="sm">
          The next try is <Time value={delivery.next_retry_at} form="relative" />.
        </Text>
      )}
    </>
  );
}

/** Shows the posted body and the receiver's answer. */
export function DeliveryParts({ detail: { request, response } }: { detail: DeliveryDetail }) {
  return (
    <>
      <CodePart title="Request headers" code={headersText(request.headers)} />
      <CodePart
        title="Request body"
        code={request.body === null ? 'The event has been deleted (retention).' : prettyJson(request.body)}
      />
      {response && (
        <>
          <CodePart title="Response headers" code={headersText(response.headers)} />
          <CodePart title="Response body" code={response.body === '' ? '(empty)' : prettyJson(response.body)} />
        </>
      )}
    </>
  );
}

function headersText(headers: Readonly<Record<string, unknown>>): string {
  return Object.entries(headers)
    .map(([name, value]) => `${name}: ${String(value)}`)
    .join('\n');
}
