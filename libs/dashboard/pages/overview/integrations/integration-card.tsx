import { Anchor, Button, Group, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { PLATFORMS, PlatformIcon, type Platform } from '../../../components/people/platform';
import { StatusBadge } from '../../../components/status-badge';
import { DirectionWords, isFailing, type ShownDirection } from '../../../components/direction-words';
import { useMay } from '../../../session/use-session';
import classes from './integration-card.module.css';
import { isNotConfigured, type IntegrationState } from './integration-state';
import { ReconnectButton } from './reconnect-button';

interface IntegrationCardProps {
  platform: Platform;
  state: Partial<IntegrationState> & Pick<IntegrationState, 'status'>;
}

export function IntegrationCard({ platform, state }: IntegrationCardProps) {
  const mayChange = useMay('admin:settings');
  const { name } = PLATFORMS[platform];
  const notConfigured = isNotConfigured(state);
  return (
    <section className={`card ${classes.card}`} aria-label={name}>
      <Group justify="space-between" wrap="nowrap" mb="sm">
        <Group gap="sm" wrap="nowrap" miw={0}>
          <PlatformIcon platform={platform} size={34} />
          <div className={classes.name}>
            <Text fw={600} component="h2" lh={1.3} className="nowrap">
              {name}
            </Text>
            {!notConfigured && (
              <Text size="xs" c="dimmed" truncate>
                {identityOf(state) ?? ' '}
              </Text>
            )}
          </div>
        </Group>
        {notConfigured ? <StatusBadge status="not set up" tone="neutral" /> : <StatusBadge status={state.status} />}
      </Group>
      {notConfigured ? (
        mayChange && (
          <Button
            variant="default"
            size="compact-sm"
            renderRoot={(props) => <Link to="/accounts/connect" search={{ platform }} {...props} />}
          >
            Connect {name}
          </Button>
        )
      ) : (
        <>
          <Direction title="Receiving" direction={state.receiving ?? {}} />
          <Direction title="Sending" direction={state.sending ?? {}} />
          {state.error !== undefined && <Advice error={state.error} status={state.status} />}
          <OtherAccounts accounts={state.accounts ?? []} />
          {mayChange && state.status !== 'reconnecting' && (
            <Group mt="sm">
              <ReconnectButton target={platform} name={name} />
            </Group>
          )}
        </>
      )}
    </section>
  );
}

/** All accounts of a platform that has several: the card shows the default one. */
function OtherAccounts({ accounts }: Pick<IntegrationState, 'accounts'>) {
  if (accounts.length < 2) return null;
  return (
    <Stack gap={6} mt="sm">
      {accounts.map(({ id, name, status, is_default }) => (
        <Group key={id} justify="space-between" gap="xs">
          <Anchor
            size="sm"
            underline="always"
            renderRoot={(props) => <Link to="/accounts/$accountId" params={{ accountId: id }} {...props} />}
          >
            {name}
            {is_default && ' (default)'}
          </Anchor>
          <StatusBadge status={status} />
        </Group>
      ))}
    </Stack>
  );
}

function identityOf({ bot_username, phone }: Partial<IntegrationState>): string | undefined {
  return bot_username ? `@${bot_username}` : phone;
}

function Direction({ title, direction }: { title: string; direction: ShownDirection }) {
  return (
    <div className={classes.direction}>
      <Text size="sm" c="dimmed">
        {title}
      </Text>
      <Text size="sm" className={isFailing(direction) ? classes.failed : undefined}>
        <DirectionWords direction={direction} />
      </Text>
    </div>
  );
}

function Advice({ error, status }: { error: string; status: string }) {
  return (
    <div className={classes.advice}>
      <Text size="sm" fw={550}>
        {error}
      </Text>
      <Text size="xs">
        {status === 'reconnecting'
          ? 'The gateway retries automatically.'
          : 'Check the token and the permissions of the bot, then reconnect.'}
      </Text>
    </div>
  );
}
