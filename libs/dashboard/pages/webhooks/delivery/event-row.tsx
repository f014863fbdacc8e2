import { Anchor, Text, UnstyledButton } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { Delivery } from '#client';
import { StatusBadge } from '../../../components/status-badge';
import { Time } from '../../../components/time';
import { milliseconds } from '../../../format/number';
import classes from './event-row.module.css';

interface EventRowProps {
  /** The attempts of one event, newest first. */
  attempts: readonly Delivery[];
  /** Only attempts of one status are shown: they do not say how the delivery ended. */
  isFiltered: boolean;
  onOpen: (attempt: Delivery) => void;
}

/** An event, its delivery status, and each attempt. */
export function EventRow({ attempts, isFiltered, onOpen }: EventRowProps) {
  const { event_id, event_type, next_retry_at } = attempts[0]!;
  const isDelivered = attempts.some(({ status }) => status === 'success');
  return (
    <tr>
      <td>
        <Anchor
          size="sm"
          fw={550}
          renderRoot={(props) => <Link to="/events/$eventId" params={{ eventId: event_id }} {...props} />}
        >
          {event_type}
        </Anchor>
      </td>
      <td data-label="Status">
        {isFiltered ? (
          <Text size="xs" c="dimmed">
            {isDelivered ? 'successful attempts' : 'failed attempts'}
          </Text>
        ) : (
          <StatusBadge status={isDelivered ? 'delivered' : 'failed'} />
        )}
        {!isFiltered && !isDelivered && (
          <Text size="xs" c="dimmed" mt={2}>
            {next_retry_at ? (
              <>
                next try <Time value={next_retry_at} form="relative" />
              </>
            ) : (
              'no further try'
            )}
          </Text>
        )}
      </td>
      <td data-label="Attempts">
        <ol className={classes.attempts}>
          {attempts.map((attempt) => (
            <li key={attempt.id}>
              <UnstyledButton
                className="link-button"
                aria-label={`Attempt ${attempt.attempt} of ${event_type}, ${answerOf(attempt)}`}
                onClick={() => onOpen(attempt)}
              >
                {answerOf(attempt)}
              </UnstyledButton>
              <Text size="xs" c="dimmed" component="span">
                attempt {attempt.attempt} · {milliseconds(attempt.response_time_ms)} ·{' '}
                <Time value={attempt.timestamp} form="short" />
              </Text>
            </li>
          ))}
        </ol>
      </td>
    </tr>
  );
}

function answerOf({ response_code, error }: Delivery): string {
  return response_code === null ? (error ?? 'no answer') : String(response_code);
}
