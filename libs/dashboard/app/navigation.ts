import {
  ActivityLogIcon,
  BarChartIcon,
  ChatBubbleIcon,
  DashboardIcon,
  GearIcon,
  IdCardIcon,
  Link2Icon,
  MagicWandIcon,
  MobileIcon,
  RocketIcon,
  ReaderIcon,
} from '@radix-ui/react-icons';
import type { Scope } from '../session/session';

export interface NavigationItem {
  to:
    | '/'
    | '/conversations'
    | '/playground'
    | '/statistics'
    | '/api-keys'
    | '/webhooks'
    | '/tools'
    | '/audit-log'
    | '/accounts'
    | '/settings'
    | '/system';
  title: string;
  Icon: typeof DashboardIcon;
  /** A key needs one of these scopes to see the page. */
  anyOf: readonly [Scope, ...Scope[]];
  /** The second key of the shortcut: `g` and this one. */
  key: string;
}

/** For pages that every key may see. */
const ANY_SCOPE: NavigationItem['anyOf'] = [
  'read:status',
  'read:conversations',
  'read:messages',
  'write:messages',
  'admin:settings',
  'admin:users',
];

export const NAVIGATION: readonly { title: string; items: readonly NavigationItem[] }[] = [
  {
    title: 'Messaging',
    items: [
      { to: '/', title: 'Overview', Icon: DashboardIcon, anyOf: ANY_SCOPE, key: 'o' },
      { to: '/conversations', title: 'Conversations', Icon: ChatBubbleIcon, anyOf: ['read:conversations'], key: 'c' },
      { to: '/playground', title: 'Playground', Icon: RocketIcon, anyOf: ['write:messages'], key: 'p' },
      { to: '/statistics', title: 'Statistics', Icon: BarChartIcon, anyOf: ['admin:settings'], key: 't' },
    ],
  },
  {
    title: 'Developers',
    items: [
      { to: '/api-keys', title: 'API keys', Icon: IdCardIcon, anyOf: ['admin:users', 'admin:settings'], key: 'k' },
      { to: '/webhooks', title: 'Webhooks', Icon: Link2Icon, anyOf: ['admin:settings'], key: 'w' },
      { to: '/tools', title: 'Tools', Icon: MagicWandIcon, anyOf: ['admin:settings'], key: 'l' },
      { to: '/audit-log', title: 'Audit log', Icon: ReaderIcon, anyOf: ['admin:settings'], key: 'a' },
    ],
  },
  {
    title: 'Gateway',
    items: [
      { to: '/accounts', title: 'Accounts', Icon: MobileIcon, anyOf: ['read:status'], key: 'n' },
      { to: '/settings', title: 'Settings', Icon: GearIcon, anyOf: ['admin:settings'], key: 's' },
      { to: '/system', title: 'System', Icon: ActivityLogIcon, anyOf: ['read:status'], key: 'y' },
    ],
  },
];

/** All items, without groups. */
export const PAGES = NAVIGATION.flatMap(({ items }) => items);
