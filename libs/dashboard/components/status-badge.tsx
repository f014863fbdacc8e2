import type { ReactNode } from 'react';
import classes from './status-badge.module.css';

export type Tone = 'good' | 'bad' | 'warning' | 'neutral' | 'info';

/** Status in the API → colour. */
const TONES: Readonly<Record<string, Tone>> = {
  healthy: 'good',
  connected: 'good',
  available: 'good',
  active: 'good',
  delivered: 'good',
  success: 'good',
  completed: 'good',
  read: 'good',
  degraded: 'warning',
  reconnecting: 'warning',
  pending: 'warning',
  refused: 'warning',
  expired: 'warning',
  running: 'info',
  sent: 'info',
  received: 'info',
  unhealthy: 'bad',
  failed: 'bad',
  timed_out: 'bad',
  unavailable: 'bad',
  disconnected: 'bad',
  revoked: 'neutral',
  archived: 'neutral',
  disabled: 'neutral',
};

interface StatusBadgeProps {
  /** A status of the API. */
  status: string;
  tone?: Tone;
  children?: ReactNode;
}

export function StatusBadge({ status, tone = TONES[status] ?? 'neutral', children }: StatusBadgeProps) {
  return (
    <span className={classes.badge} data-tone={tone}>
      <span className={classes.dot} aria-hidden />
      {children ?? status}
    </span>
  );
}
