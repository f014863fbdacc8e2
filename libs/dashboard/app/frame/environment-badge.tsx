import { useEnvironment } from '../../session/use-session';
import classes from './environment-badge.module.css';

/** Whether what is shown is real. */
export function EnvironmentBadge() {
  const environment = useEnvironment();
  return (
    <span className={classes.environment} data-environment={environment}>
      {environment === 'live' ? 'Live' : 'Test'}
    </span>
  );
}
