import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from '@tanstack/react-router';
import { Overview } from '../pages/overview/overview.page';
import { NotFound } from './not-found';
import { PageFault } from './page-fault';
import { Shell } from './frame/shell';

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound });

/** Keeps only search parameters with these names, as strings. */
function texts<K extends string>(...names: readonly K[]) {
  return (search: Record<string, unknown>): Partial<Record<K, string>> =>
    Object.fromEntries(
      names.flatMap((name) => {
        const value = search[name];
        return typeof value === 'string' || typeof value === 'number' ? [[name, String(value)]] : [];
      }),
    ) as Partial<Record<K, string>>;
}

const parent = { getParentRoute: () => root };
const conversations = {
  ...parent,
  component: lazyRouteComponent(() => import('../pages/conversations/conversations.page')),
  validateSearch: texts('q', 'platform', 'account_id', 'status', 'show'),
} as const;

const routeTree = root.addChildren([
  createRoute({ ...parent, path: '/', component: Overview }),
  createRoute({ ...conversations, path: '/conversations' }),
  createRoute({ ...conversations, path: '/conversations/$conversationId' }),
  createRoute({ ...conversations, path: '/conversations/$conversationId/messages/$messageId' }),
  createRoute({
    ...parent,
    path: '/messages/$messageId',
    component: lazyRouteComponent(() => import('../pages/messages/find-message.page')),
  }),
  createRoute({
    ...parent,
    path: '/events/$eventId',
    component: lazyRouteComponent(() => import('../pages/events/event.page')),
  }),
  createRoute({
    ...parent,
    path: '/deliveries/$deliveryId',
    component: lazyRouteComponent(() => import('../pages/webhooks/delivery/delivery.page')),
  }),
  createRoute({
    ...parent,
    path: '/playground',
    component: lazyRouteComponent(() => import('../pages/playground/playground.page')),
  }),
  createRoute({
    ...parent,
    path: '/statistics',
    component: lazyRouteComponent(() => import('../pages/statistics/statistics.page')),
    validateSearch: texts('period', 'group_by'),
  }),
  createRoute({
    ...parent,
    path: '/api-keys',
    component: lazyRouteComponent(() => import('../pages/api-keys/api-keys.page')),
  }),
  createRoute({
    ...parent,
    path: '/api-keys/$keyId',
    component: lazyRouteComponent(() => import('../pages/api-keys/key-page/api-key.page')),
  }),
  createRoute({
    ...parent,
    path: '/webhooks',
    component: lazyRouteComponent(() => import('../pages/webhooks/webhooks.page')),
  }),
  createRoute({
    ...parent,
    path: '/webhooks/$webhookId',
    component: lazyRouteComponent(() => import('../pages/webhooks/webhook.page')),
  }),
  createRoute({
    ...parent,
    path: '/tools',
    component: lazyRouteComponent(() => import('../pages/tools/tools.page')),
  }),
  createRoute({
    ...parent,
    path: '/tools/$toolId',
    component: lazyRouteComponent(() => import('../pages/tools/tool.page')),
  }),
  createRoute({
    ...parent,
    path: '/audit-log',
    component: lazyRouteComponent(() => import('../pages/audit-log/audit-log.page')),
    validateSearch: texts('key_id', 'action', 'reads', 'request_id', 'path', 'status', 'start_date', 'end_date'),
  }),
  createRoute({
    ...parent,
    path: '/accounts',
    component: lazyRouteComponent(() => import('../pages/accounts/accounts.page')),
  }),
  createRoute({
    ...parent,
    path: '/accounts/connect',
    component: lazyRouteComponent(() => import('../pages/accounts/connect/connect.page')),
    validateSearch: texts('platform', 'account', 'since'),
  }),
  createRoute({
    ...parent,
    path: '/accounts/$accountId',
    component: lazyRouteComponent(() => import('../pages/accounts/account.page')),
  }),
  createRoute({
    ...parent,
    path: '/settings',
    component: lazyRouteComponent(() => import('../pages/settings/settings.page')),
  }),
  createRoute({
    ...parent,
    path: '/system',
    component: lazyRouteComponent(() => import('../pages/system/system.page')),
  }),
]);

export const router = createRouter({
  routeTree,
  basepath: '/dashboard',
  defaultErrorComponent: PageFault,
  scrollRestoration: true,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
