import {
  ActionIcon,
  Group,
  SegmentedControl,
  Text,
  Tooltip,
  useComputedColorScheme,
  useMantineColorScheme,
} from '@mantine/core';
import { ExitIcon, MoonIcon, QuestionMarkCircledIcon, SunIcon } from '@radix-ui/react-icons';
import { masked, sessions } from '../../session/session';
import { useSession } from '../../session/use-session';
import { LiveBadge } from '../../live/live-badge';
import { EnvironmentBadge } from './environment-badge';
import { showShortcuts } from '../shortcuts/shortcuts';
import classes from './account.module.css';

/** The current key and environment, and the buttons to switch and sign out. */
export function Account() {
  const { keys, environment } = useSession();
  const both = keys.live !== undefined && keys.test !== undefined;
  return (
    <div className={classes.account}>
      <Group justify="space-between" mb={10} wrap="nowrap">
        {both ? (
          <SegmentedControl
            size="xs"
            value={environment}
            onChange={(value) => sessions.switchTo(value)}
            data={[
              { value: 'live', label: 'Live' },
              { value: 'test', label: 'Test' },
            ]}
            aria-label="Environment"
          />
        ) : (
          <EnvironmentBadge />
        )}
        <LiveBadge />
      </Group>
      <Group justify="space-between" wrap="nowrap" gap={4}>
        <Tooltip label={`The key of this session: ${masked(keys[environment]!)}`}>
          <Text className="mono" c="dimmed" size="xs" truncate tabIndex={0}>
            {masked(keys[environment]!).replace('service_sk_', '')}
          </Text>
        </Tooltip>
        <Group gap={2} wrap="nowrap">
          <IconButton label="Keyboard shortcuts" onClick={showShortcuts}>
            <QuestionMarkCircledIcon />
          </IconButton>
          <ColourScheme />
          <IconButton label="Sign out" onClick={() => sessions.end()}>
            <ExitIcon />
          </IconButton>
        </Group>
      </Group>
    </div>
  );
}

function ColourScheme() {
  const { setColorScheme } = useMantineColorScheme();
  const isDark = useComputedColorScheme('light') === 'dark';
  return (
    <IconButton
      label={isDark ? 'Light colours' : 'Dark colours'}
      onClick={() => setColorScheme(isDark ? 'light' : 'dark')}
    >
      {isDark ? <SunIcon /> : <MoonIcon />}
    </IconButton>
  );
}

function IconButton({ label, onClick, children }: { label: string; onClick: () => void; children: React.ReactNode }) {
  return (
    <Tooltip label={label}>
      <ActionIcon variant="subtle" color="gray" aria-label={label} onClick={onClick} c="dimmed">
        {children}
      </ActionIcon>
    </Tooltip>
  );
}
