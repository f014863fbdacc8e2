import { Group, Text } from '@mantine/core';
import { CrossCircledIcon, ExclamationTriangleIcon } from '@radix-ui/react-icons';
import type { Problem } from '#client';
import { Time } from '../../../components/time';
import { count } from '../../../format/number';
import { useMay } from '../../../session/use-session';
import { DismissProblem } from './dismiss-problem';
import { ProblemActions } from './problem-actions';
import classes from './problems.module.css';

const SEVERITIES = {
  critical: { word: 'Critical', Icon: CrossCircledIcon },
  warning: { word: 'Warning', Icon: ExclamationTriangleIcon },
} as const;

/** Types of subject whose id is shown, because the title does not name it. */
const NAMED: ReadonlySet<string> = new Set<Problem['subject']['type']>(['webhook', 'backup', 'conversation']);

export function ProblemItem({ problem }: { problem: Problem }) {
  const { severity, title, last_at, subject } = problem;
  const { word, Icon } = SEVERITIES[severity];
  const mayDismiss = useMay('admin:settings');
  return (
    <li className={classes.problem} data-severity={severity}>
      <Icon className={classes.icon} width={20} height={20} aria-hidden />
      <div className={classes.text}>
        <Text size="sm" fw={600}>
          {title}
        </Text>
        <Text size="xs" c="dimmed">
          {word} · {times(problem.count)}
          <Time value={last_at} form="relative" />
          {NAMED.has(subject.type) && ` · ${subject.id}`}
        </Text>
      </div>
      <Group gap="xs" className={classes.actions}>
        <ProblemActions problem={problem} />
        {mayDismiss && <DismissProblem problem={problem} />}
      </Group>
    </li>
  );
}

function times(value: number): string {
  return value === 1 ? '' : `${count(value)} times · `;
}
