import { useQuery } from '@tanstack/react-query';
import { useGateway } from '../../../api/gateway';
import { queries } from '../../../api/queries';
import { causesOf } from '../../../components/problems/causes';
import { Section } from '../../../components/section';
import { ProblemItem } from './problem-item';
import classes from './problems.module.css';

/** Lists the problems, one line for each cause, with its action. Renders nothing if there are none. */
export function Problems() {
  const { data } = useQuery(queries.problems(useGateway()));
  if (!data || data.length === 0) return null;
  return (
    <Section title="What to do" description="From the last 24 hours, and older unresolved ones." flush>
      <ul className={classes.list} aria-label="Problems">
        {causesOf(data).map((cause) => (
          <ProblemItem key={cause.problems[0].id} cause={cause} />
        ))}
      </ul>
    </Section>
  );
}
