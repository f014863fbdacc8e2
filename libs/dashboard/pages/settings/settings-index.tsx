import { Button, Group } from '@mantine/core';
import { useEnvironment } from '../../session/use-session';
import { SETTING_GROUPS } from './fields/setting-groups';

/** Leads to each section of the page. */
export function SettingsIndex() {
  const isLive = useEnvironment() === 'live';
  const titles = [...SETTING_GROUPS.map(({ title }) => title), ...(isLive ? ['AI providers'] : [])];
  return (
    <Group component="nav" gap="xs" aria-label="Sections of this page">
      {titles.map((title) => (
        <Button key={title} variant="default" size="compact-sm" onClick={() => goTo(title)}>
          {title}
        </Button>
      ))}
    </Group>
  );
}

/** Scrolls to a section and moves the focus there, as a link would. A link would leave the page's unsaved changes. */
function goTo(title: string): void {
  const heading = [...document.querySelectorAll<HTMLElement>('main h2')].find((each) => each.textContent === title);
  heading?.setAttribute('tabindex', '-1');
  heading?.scrollIntoView({ block: 'start' });
  heading?.focus({ preventScroll: true });
}
