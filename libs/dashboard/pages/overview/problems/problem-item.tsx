import { Group, Text } from '@mantine/core';
import { CrossCircledIcon, ExclamationTriangleIcon } from '@radix-ui/react-icons';
import type { Problem } from '#client';
import { severityOf, type Cause } from '../../../components/problems/causes';
import { Time } from '../../../components/time';
import { count } from '../../../format/number';
import { useMay } from '../../../session/use-session';
import { DismissProblems } from './dismiss-problems';
import { PeopleOfFailures, WaitingPeople } from './people';
import { ProblemActions } from './problem-actions';
import classes from './problems.module.css';
import { WebhookAddress } from './webhook-address';

const SEVERITIES = {
  critical: { word: 'Critical', Icon: CrossCircledIcon },
  warning: { word: 'Warning', Icon: ExclamationTriangleIcon },
} as const;

/** One cause, with the people that it concerns. */
export function ProblemItem({ cause }: { cause: Cause }) {
  const { kind, problems } = cause;
  const [first, ...others] = problems;
  const severity = severityOf(problems);
  const { word, Icon } = SEVERITIES[severity];
  const mayDismiss = useMay('admin:settings');
  // A part that is not healthy says no more than the errors.
  const also = kind === 'ai' ? others.filter((other) => other.kind !== 'component_unhealthy') : [];
  return (
    <li className={classes.problem} data-severity={severity}>
      <Icon className={classes.icon} width={20} height={20} aria-hidden />
      <div className={classes.text}>
        <Text size="sm" fw={600} component="div">
          {kind === 'people' ? <WaitingPeople problems={problems} /> : first.title}
        </Text>
        {also.map(({ id, title }) => (
          <Text key={id} size="xs">
            {title}
          </Text>
        ))}
        <Text size="xs" c="dimmed" component="div">
          {word} · {kind === 'people' && !others.length && `${first.title} · `}
          {times(first.count)}
          <Time value={newestOf(problems)} form="relative" />
          <Subject problem={first} />
        </Text>
      </div>
      <Group gap="xs" className={classes.actions}>
        <ProblemActions problem={first} alone={others.length === 0} />
        {mayDismiss && <DismissProblems problems={problems} />}
      </Group>
    </li>
  );
}

/** The subject, if the title does not name it. */
function Subject({ problem }: { problem: Problem }) {
  const { kind, subject } = problem;
  if (kind === 'message_failed') return <PeopleOfFailures problem={problem} />;
  if (kind === 'webhook_failing') return <WebhookAddress id={subject.id} />;
  return subject.type === 'backup' && ` · ${subject.id}`;
}

function newestOf(problems: Cause['problems']): string {
  return problems.reduce((newest, { last_at }) => (last_at > newest ? last_at : newest), problems[0].last_at);
}

function times(value: number): string {
  return value === 1 ? '' : `${count(value)} times · `;
}
