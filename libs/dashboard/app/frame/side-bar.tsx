import { Text, VisuallyHidden } from '@mantine/core';
import { ExternalLinkIcon, LockClosedIcon } from '@radix-ui/react-icons';
import { Link } from '@tanstack/react-router';
import { useSyncExternalStore } from 'react';
import { Logo } from '../../components/logo';
import { waitingCount } from '../../live/handover/waiting-count';
import { useMay } from '../../session/use-session';
import { Account } from './account';
import { NAVIGATION, type NavigationItem } from '../navigation';
import { PaletteButton } from '../palette/palette-button';
import { ProblemCount } from '../problem-count';
import classes from './side-bar.module.css';

export function SideBar({ onNavigate }: { onNavigate?: () => void }) {
  return (
    <div className={classes.bar}>
      <div className={classes.brand}>
        <Logo size={30} />
        <div>
          <Text fw={650} size="sm" lh={1.2}>
            Messaging Gateway
          </Text>
        </div>
      </div>
      <PaletteButton onOpen={onNavigate} />
      <nav className={classes.nav} aria-label="Pages">
        {NAVIGATION.map(({ title, items }) => (
          <div key={title} className={classes.group}>
            <Text className={classes.title}>{title}</Text>
            <ul className={classes.list}>
              {items.map((item) => (
                <Item key={item.to} item={item} onNavigate={onNavigate} />
              ))}
            </ul>
          </div>
        ))}
        <ul className={classes.list}>
          <li>
            <a href="/docs" target="_blank" rel="noreferrer" className={classes.link}>
              <ExternalLinkIcon aria-hidden />
              API documentation
            </a>
          </li>
        </ul>
      </nav>
      <Account />
    </div>
  );
}

function Item({ item: { to, title, Icon, anyOf }, onNavigate }: { item: NavigationItem; onNavigate?: () => void }) {
  const may = useMay(...anyOf);
  return (
    <li className={classes.item}>
      <Link
        to={to}
        className={classes.link}
        activeProps={{ 'data-active': true, 'aria-current': 'page' }}
        activeOptions={{ exact: to === '/', includeSearch: false }}
        onClick={onNavigate}
      >
        <Icon aria-hidden />
        {title}
        {to === '/conversations' && <Waiting />}
        {!may && <LockClosedIcon className={classes.lock} aria-label="(your key lacks the scope)" />}
      </Link>
      {to === '/' && <ProblemCount className={classes.count} />}
    </li>
  );
}

function Waiting() {
  const waiting = useSyncExternalStore(waitingCount.subscribe, waitingCount.get);
  if (waiting === 0) return null;
  return (
    <span className={classes.waiting}>
      {waiting}
      <VisuallyHidden> waiting for a person</VisuallyHidden>
    </span>
  );
}
