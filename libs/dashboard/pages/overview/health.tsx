import { Skeleton, Text } from '@mantine/core';
import { CheckCircledIcon, CrossCircledIcon, ExclamationTriangleIcon } from '@radix-ui/react-icons';
import { useQuery } from '@tanstack/react-query';
import { useGateway } from '../../api/gateway';
import { queries } from '../../api/queries';
import { FaultAlert } from '../../components/feedback/fault-alert';
import { reasonsOf } from './health-reasons';
import classes from './health.module.css';

const WORDS = {
  healthy: { title: 'Healthy', Icon: CheckCircledIcon },
  degraded: { title: 'Degraded', Icon: ExclamationTriangleIcon },
  unhealthy: { title: 'Unhealthy', Icon: CrossCircledIcon },
} as const;

/** The overall status with its reasons. */
export function Health() {
  const status = useQuery(queries.status(useGateway()));
  if (status.error) return <FaultAlert error={status.error} onRetry={() => void status.refetch()} />;
  if (!status.data) return <Skeleton height={76} radius="lg" />;
  const { title, Icon } = WORDS[status.data.status];
  // Platforms that are not configured do not count, so a healthy gateway needs no reasons.
  const isHealthy = status.data.status === 'healthy';
  const reasons = isHealthy ? ['All components and configured platforms work.'] : reasonsOf(status.data);
  return (
    <section className={classes.health} data-status={status.data.status} aria-label="Health" role="status">
      <Icon width={26} height={26} aria-hidden className={classes.icon} />
      <div>
        <Text fw={650} size="lg" lh={1.3}>
          {title}
        </Text>
        <Text size="sm" className={classes.why}>
          {reasons.join(' · ') || 'The status gives no reason. See the problems and the system page.'}
        </Text>
      </div>
    </section>
  );
}
