import type { AuditEntry } from '#client';
import { CopyButton } from '../../components/copy/copy-button';
import { StatusBadge, type Tone } from '../../components/status-badge';
import { Time } from '../../components/time';
import { milliseconds } from '../../format/number';
import classes from './audit-row.module.css';

export function AuditHead() {
  return (
    <div className={classes.head} aria-hidden>
      <span>When</span>
      <span>Request</span>
      <span>Status</span>
      <span className={classes.wide}>Key</span>
      <span className={classes.wide}>Address</span>
      <span className={classes.wide}>Took</span>
      <span />
    </div>
  );
}

export function AuditRow({ entry }: { entry: AuditEntry }) {
  const { timestamp, method, path, status, masked_key, client_ip, duration_ms, request_id } = entry;
  return (
    <div className={classes.row}>
      <span className={classes.when}>
        <Time value={timestamp} form="short" />
      </span>
      <span className={classes.path} title={path}>
        <b>{method}</b> {path}
      </span>
      <span>
        <StatusBadge status={String(status)} tone={toneOf(status)} />
      </span>
      <span className={`mono ${classes.wide}`} title={masked_key ?? undefined}>
        {masked_key?.replace('service_sk_', '') ?? 'none'}
      </span>
      <span className={`numeric ${classes.wide}`}>{client_ip}</span>
      <span className={`numeric ${classes.wide}`}>{milliseconds(duration_ms)}</span>
      <CopyButton value={request_id} label="request id" />
    </div>
  );
}

function toneOf(status: number): Tone {
  if (status < 300) return 'good';
  return status < 500 ? 'warning' : 'bad';
}
