import { Group, Text } from '@mantine/core';
import { count } from '../../format/number';
import { rateOf } from '../../format/rate-of';
import { Time } from '../time';
import classes from './newest-attempts.module.css';

/** Bars of the sparkline. */
const BARS = 24;
const HEIGHT = 20;
const BAR = 4;
const GAP = 1;

/** A post to a receiver. */
export interface Attempt {
  id: string;
  status: string;
  ms: number;
  at: string;
}

interface NewestAttemptsProps {
  /** Newest first; undefined while they load. */
  attempts: readonly Attempt[] | undefined;
  /** Plural of their name: "attempts", "calls". */
  name: string;
}

/** The share of the newest attempts that succeeded, the last one, and how long the receiver took for each. */
export function NewestAttempts({ attempts, name }: NewestAttemptsProps) {
  if (!attempts) return null;
  if (attempts.length === 0) return `No ${name} yet`;
  const succeeded = attempts.filter(({ status }) => status === 'success').length;
  const shown = attempts.slice(0, BARS).toReversed();
  const longest = Math.max(...shown.map(({ ms }) => ms), 1);
  return (
    <Group gap="sm">
      <svg
        className={classes.line}
        width={BARS * (BAR + GAP)}
        height={HEIGHT}
        role="img"
        aria-label={`${succeeded} of the newest ${count(attempts.length)} ${name} succeeded`}
      >
        {shown.map(({ id, status, ms }, index) => {
          const height = Math.max(3, (ms / longest) * HEIGHT);
          const x = (BARS - shown.length + index) * (BAR + GAP);
          return <rect key={id} data-status={status} x={x} y={HEIGHT - height} width={BAR} height={height} />;
        })}
      </svg>
      <div className="nowrap">
        <Text size="sm" className="numeric">
          {rateOf(succeeded, attempts.length)}
        </Text>
        <Text size="xs" c="dimmed">
          <Time value={attempts[0]!.at} form="relative" />
        </Text>
      </div>
    </Group>
  );
}
