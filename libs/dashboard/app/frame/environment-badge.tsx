import { useEnvironment } from '../../session/use-session';
import classes from './environment-badge.module.css';

/** Shows the environment of the key: live or test. */
export function EnvironmentBadge() {
  const environment = useEnvironment();
  return (
    <span className={classes.environment} data-environment={environment}>
      {environment === 'live' ? 'Live' : 'Test'}
    </span>
  );
}
