import { Skeleton, Text } from '@mantine/core';
import { CheckCircledIcon, CrossCircledIcon, ExclamationTriangleIcon } from '@radix-ui/react-icons';
import { useQuery } from '@tanstack/react-query';
import type { Problem, Status } from '#client';
import { useGateway } from '../../api/gateway';
import { queries } from '../../api/queries';
import { FaultAlert } from '../../components/feedback/fault-alert';
import { causesOf, severityOf } from '../../components/problems/causes';
import { counted } from '../../format/number';
import { reasonsOf } from './health-reasons';
import classes from './health.module.css';

const ICONS = {
  healthy: CheckCircledIcon,
  degraded: ExclamationTriangleIcon,
  unhealthy: CrossCircledIcon,
} as const;
const TITLES = { healthy: 'Everything is fine', degraded: 'Degraded', unhealthy: 'Unhealthy' } as const;

/** Says whether everything is fine: the health of the parts and the number of problems in one. */
export function Health() {
  const gateway = useGateway();
  const status = useQuery(queries.status(gateway));
  const problems = useQuery(queries.problems(gateway));
  const ai = useQuery(queries.aiStatus(gateway)).data;
  const error = status.error ?? problems.error;
  if (error)
    return <FaultAlert error={error} onRetry={() => void Promise.all([status.refetch(), problems.refetch()])} />;
  if (!status.data || !problems.data) return <Skeleton height={76} radius="lg" />;
  const health = together(status.data, problems.data);
  const Icon = ICONS[health];
  return (
    <section className={classes.health} data-status={health} aria-label="Health" role="status">
      <Icon width={26} height={26} aria-hidden className={classes.icon} />
      <div>
        <Text fw={650} size="lg" lh={1.3}>
          {titleOf(status.data, problems.data)}
        </Text>
        <Text size="sm" className={classes.why}>
          {detailOf(status.data, problems.data)}
          {ai?.configured === false && ' The AI is not set up.'}
        </Text>
      </div>
    </section>
  );
}

/** The worse one of the status and the problems. */
function together({ status }: Status, problems: readonly Problem[]): Status['status'] {
  if (status === 'unhealthy' || severityOf(problems) === 'critical') return 'unhealthy';
  return problems.length > 0 ? 'degraded' : status;
}

function titleOf({ status }: Status, problems: readonly Problem[]): string {
  const causes = causesOf(problems).length;
  if (causes === 0) return TITLES[status];
  return `${counted(causes, 'problem')} ${causes === 1 ? 'needs' : 'need'} a person`;
}

/** Platforms that are not set up do not count. */
function detailOf(status: Status, problems: readonly Problem[]): string {
  if (status.status === 'healthy') return 'All components and configured platforms work.';
  const others = reasonsOf(status, problems);
  if (others.length > 0) return `${others.join(' · ')}.`;
  return problems.length > 0 ? 'What to do is listed below.' : 'The system page shows the parts.';
}
