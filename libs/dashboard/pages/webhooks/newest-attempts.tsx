import { Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useGateway } from '../../api/gateway';
import { queries } from '../../api/queries';
import { Time } from '../../components/time';
import { count } from '../../format/number';
import { rateOf } from './rate-of';
import classes from './newest-attempts.module.css';

/** Bars of the sparkline. */
const BARS = 24;
const HEIGHT = 20;
const BAR = 4;
const GAP = 1;

/** The share of the newest attempts that succeeded, the last one, and how long the receiver took for each. */
export function NewestAttempts({ webhookId }: { webhookId: string }) {
  const { data } = useQuery(queries.newestAttempts(useGateway(), webhookId));
  if (!data) return null;
  if (data.length === 0) return 'No deliveries yet';
  const succeeded = data.filter(({ status }) => status === 'success').length;
  const shown = data.slice(0, BARS).toReversed();
  const longest = Math.max(...shown.map(({ response_time_ms }) => response_time_ms), 1);
  return (
    <Group gap="sm" wrap="nowrap">
      <svg
        className={classes.line}
        width={BARS * (BAR + GAP)}
        height={HEIGHT}
        role="img"
        aria-label={`${succeeded} of the newest ${count(data.length)} attempts succeeded`}
      >
        {shown.map(({ id, status, response_time_ms }, index) => {
          const height = Math.max(3, (response_time_ms / longest) * HEIGHT);
          const x = (BARS - shown.length + index) * (BAR + GAP);
          return <rect key={id} data-status={status} x={x} y={HEIGHT - height} width={BAR} height={height} />;
        })}
      </svg>
      <div>
        <Text size="sm" className="numeric">
          {rateOf(succeeded, data.length)}
        </Text>
        <Text size="xs" c="dimmed">
          <Time value={data[0]!.timestamp} form="relative" />
        </Text>
      </div>
    </Group>
  );
}
