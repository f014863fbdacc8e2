import { Anchor, Burger, Group, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Link, Outlet } from '@tanstack/react-router';
import { Logo } from '../../components/logo';
import { HandoverWatch } from '../../live/handover/handover-watch';
import { useEnvironment } from '../../session/use-session';
import { EnvironmentBadge } from './environment-badge';
import { LimitNotice } from '../limit-notice';
import { Menu } from './menu.lazy';
import { Palette } from '../palette/palette';
import { PaletteIcon } from '../palette/palette-button';
import { ProblemCount } from '../problem-count';
import { Shortcuts } from '../shortcuts/shortcuts';
import { SideBar } from './side-bar';
import classes from './shell.module.css';

/** The frame of every page, with the navigation at the side, or in a menu on narrow screens. */
export function Shell() {
  const [opened, { open, close }] = useDisclosure(false);
  return (
    <div className={classes.shell} data-environment={useEnvironment()}>
      <Anchor href="#content" className="skip-link">
        Skip to the content
      </Anchor>
      <aside className={classes.side} aria-label="Navigation and account">
        <SideBar />
      </aside>
      <header className={classes.bar}>
        <Burger opened={opened} onClick={open} size="sm" aria-label="Menu" aria-expanded={opened} />
        <Group gap={8} wrap="nowrap" miw={0}>
          <Logo size={24} />
          <Text fw={650} className={classes.name}>
            Messaging Gateway
          </Text>
        </Group>
        <Group gap={4} ml="auto" wrap="nowrap">
          <EnvironmentBadge />
          <Link to="/" className={classes.problems}>
            <ProblemCount />
          </Link>
          <PaletteIcon />
        </Group>
      </header>
      <Menu opened={opened} onClose={close} />
      <main id="content" className={classes.content} tabIndex={-1}>
        <LimitNotice />
        <Outlet />
      </main>
      <Shortcuts />
      <HandoverWatch />
      <Palette />
    </div>
  );
}
