import { Text, Tooltip } from '@mantine/core';
import classes from './live-badge.module.css';
import type { LiveState } from './live-event';
import { useLiveState } from './use-live';

const WORDS: Readonly<Record<LiveState, { text: string; why: string }>> = {
  connecting: { text: 'Connecting', why: 'Connecting to the event stream.' },
  live: { text: 'Connected', why: 'The page updates automatically.' },
  lost: { text: 'Reconnecting', why: 'The live connection was lost. The page catches up when it is restored.' },
  off: { text: 'Not live', why: 'Your key may not read the event stream: use Refresh.' },
};

/** Shows whether the page is up to date. */
export function LiveBadge() {
  const state = useLiveState();
  const { text, why } = WORDS[state];
  return (
    <Tooltip label={why}>
      <Text size="xs" c="dimmed" className={classes.badge} data-state={state} role="status" tabIndex={0}>
        <span className={classes.dot} aria-hidden />
        {text}
      </Text>
    </Tooltip>
  );
}
