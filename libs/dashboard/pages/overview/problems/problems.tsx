import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useGateway } from '../../../api/gateway';
import { queries } from '../../../api/queries';
import { FaultAlert } from '../../../components/feedback/fault-alert';
import { Section } from '../../../components/section';
import { counted } from '../../../format/number';
import { ProblemItem } from './problem-item';
import classes from './problems.module.css';

/** Lists the problems, each with its action. Renders nothing if there are none. */
export function Problems() {
  const { data, error, refetch } = useQuery(queries.problems(useGateway()));
  if (error) return <FaultAlert error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton height={76} radius="lg" />;
  if (data.length === 0) return null;
  return (
    <Section
      title={counted(data.length, 'problem')}
      description="From the last 24 hours, and older unresolved ones."
      flush
    >
      <ul className={classes.list} aria-label="Problems">
        {data.map((problem) => (
          <ProblemItem key={problem.id} problem={problem} />
        ))}
      </ul>
    </Section>
  );
}
