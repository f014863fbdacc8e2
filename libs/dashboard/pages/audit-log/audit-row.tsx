import { UnstyledButton } from '@mantine/core';
import { ChevronDownIcon } from '@radix-ui/react-icons';
import type { AuditEntry } from '#client';
import { StatusBadge, type Tone } from '../../components/status-badge';
import { Time } from '../../components/time';
import { count } from '../../format/number';
import { AuditDetails } from './audit-details';
import classes from './audit-row.module.css';
import { sentenceOf } from './audit-sentence';

interface AuditRowProps {
  entry: AuditEntry;
  /** Key id → name. */
  names: ReadonlyMap<string, string>;
  opened: boolean;
  onToggle: () => void;
}

/** A request as a sentence. A click shows the details. */
export function AuditRow({ entry, names, opened, onToggle }: AuditRowProps) {
  const { timestamp, status, count: times } = entry;
  return (
    <div className={classes.entry}>
      <UnstyledButton className={classes.row} aria-expanded={opened} onClick={onToggle}>
        <span className={classes.sentence} dir="auto">
          {sentenceOf(entry, names)}
          {times > 1 && ` (${count(times)} times)`}
        </span>
        <span className={classes.when}>
          <Time value={timestamp} form="short" />
        </span>
        <span className={classes.status}>
          <StatusBadge status={String(status)} tone={toneOf(status)} />
        </span>
        <ChevronDownIcon aria-hidden className={classes.chevron} />
      </UnstyledButton>
      {opened && <AuditDetails entry={entry} />}
    </div>
  );
}

function toneOf(status: number): Tone {
  if (status < 300) return 'good';
  return status < 500 ? 'warning' : 'bad';
}
