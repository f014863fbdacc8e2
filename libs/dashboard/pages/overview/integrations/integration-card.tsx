import { Group, Text } from '@mantine/core';
import { PLATFORMS, PlatformIcon, type Platform } from '../../../components/people/platform';
import { StatusBadge } from '../../../components/status-badge';
import { Time } from '../../../components/time';
import { useMay } from '../../../session/use-session';
import classes from './integration-card.module.css';
import { isNotConfigured, type IntegrationState } from './integration-state';
import { ReconnectButton } from './reconnect-button';

interface IntegrationCardProps {
  platform: Platform;
  state: Partial<IntegrationState> & Pick<IntegrationState, 'status'>;
}

export function IntegrationCard({ platform, state }: IntegrationCardProps) {
  const mayReconnect = useMay('admin:settings');
  const { name } = PLATFORMS[platform];
  const notConfigured = isNotConfigured(state.error);
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
        <Text size="sm" c="dimmed">
          {SET_UP[platform]}
        </Text>
      ) : (
        <>
          <Direction title="Receiving" {...state.receiving} />
          <Direction title="Sending" {...state.sending} />
          {state.error !== undefined && <Advice error={state.error} status={state.status} />}
          {mayReconnect && state.status !== 'reconnecting' && (
            <Group mt="sm">
              <ReconnectButton platform={platform} />
            </Group>
          )}
        </>
      )}
    </section>
  );
}

/** How an operator sets up each platform. */
const SET_UP: Readonly<Record<Platform, string>> = {
  telegram: 'Set TELEGRAM_BOT_TOKEN to the token that @BotFather gives you, then restart the gateway.',
  whatsapp: 'Set the four WHATSAPP_… variables of your Business account, then restart the gateway.',
  discord: 'Set DISCORD_BOT_TOKEN and switch on the Message Content Intent, then restart the gateway.',
};

function identityOf({ bot_username, phone }: Partial<IntegrationState>): string | undefined {
  return bot_username ? `@${bot_username}` : phone;
}

interface DirectionProps {
  title: string;
  last_success_at?: string | null;
  last_error_at?: string | null;
  last_error?: string | null;
}

/** Last success or failure of a direction. A failure shows until the next success. */
function Direction({ title, last_success_at, last_error_at, last_error }: DirectionProps) {
  const failed = last_error_at && (!last_success_at || last_error_at > last_success_at);
  return (
    <div className={classes.direction}>
      <Text size="sm" c="dimmed">
        {title}
      </Text>
      <Text size="sm" className={failed ? classes.failed : undefined}>
        {failed ? (
          <>
            failed <Time value={last_error_at} form="relative" />
            {last_error ? `: ${last_error}` : ''}
          </>
        ) : last_success_at ? (
          <Time value={last_success_at} form="relative" />
        ) : (
          'nothing yet'
        )}
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
