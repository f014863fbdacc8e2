import { Anchor, Loader, Stack, Text } from '@mantine/core';
import { CheckCircledIcon, CrossCircledIcon } from '@radix-ui/react-icons';
import { Link } from '@tanstack/react-router';
import { FaultAlert } from '../../../components/feedback/fault-alert';
import { PLATFORMS } from '../../../components/people/platform';
import { Section } from '../../../components/section';
import { STEPS } from '../../../components/guide/steps';
import type { Account } from '../../../api/accounts';
import { identityOf } from '../account-words';
import { useEnvironment } from '../../../session/use-session';
import { useAccounts } from '../use-accounts';
import { CallbackSteps } from './callback-steps';
import classes from './connect.module.css';
import type { Credentials } from './credentials';
import { FirstMessage } from './first-message';
import { InviteStep } from './invite-step';

/** Steps that are left at the platform. */
const STEPS_BETWEEN = { telegram: 0, discord: 1, whatsapp: 2 } as const;

interface ConnectedProps {
  accountId: string;
  since: string;
  credentials: Credentials;
  /** The number of the steps before. */
  steps: number;
}

/** The account that was connected, the steps that are left at its platform, and its first message. */
export function Connected({ accountId, since, credentials, steps }: ConnectedProps) {
  const { data, error, refetch } = useAccounts();
  const isLive = useEnvironment() === 'live';
  if (error) return <FaultAlert error={error} onRetry={() => void refetch()} />;
  const account = data?.find(({ id }) => id === accountId);
  if (!account) return data ? <Text>The account was deleted.</Text> : <Loader aria-label="Loading" />;
  // The sandbox has no pages of platforms.
  const platform = isLive ? account.platform : undefined;
  const number = steps + 1;
  return (
    <Stack>
      <State account={account} />
      <Section title="The last steps">
        <Stack component="ol" gap="lg" className={STEPS}>
          {platform === 'discord' && <InviteStep number={number} botId={account.details['bot_id']} />}
          {platform === 'whatsapp' && <CallbackSteps number={number} verifyToken={credentials['verify_token']} />}
          <FirstMessage number={number + (platform ? STEPS_BETWEEN[platform] : 0)} account={account} since={since} />
        </Stack>
      </Section>
    </Stack>
  );
}

function State({ account }: { account: Account }) {
  const { id, platform, status, error } = account;
  const { name } = PLATFORMS[platform];
  const link = (
    <Anchor
      size="sm"
      underline="always"
      renderRoot={(props) => <Link to="/accounts/$accountId" params={{ accountId: id }} {...props} />}
    >
      Name, prompt and credentials of the account
    </Anchor>
  );
  if (status === 'connected')
    return (
      <section className={`card ${classes.connected}`} role="status" aria-label="Connection">
        <CheckCircledIcon width={28} height={28} className={classes.check} aria-hidden />
        <div>
          <Text fw={650}>
            {name} is connected as {identityOf(account) ?? account.name}.
          </Text>
          {link}
        </div>
      </section>
    );
  return (
    <section className={`card ${classes.connected}`} role="status" aria-label="Connection">
      {status === 'disconnected' ? (
        <CrossCircledIcon width={28} height={28} aria-hidden />
      ) : (
        <Loader size={28} aria-hidden />
      )}
      <div>
        <Text fw={650}>
          {status === 'disconnected'
            ? `${name} is not connected: ${error}`
            : `${name} accepts the credentials. Connecting …`}
        </Text>
        {link}
      </div>
    </section>
  );
}
