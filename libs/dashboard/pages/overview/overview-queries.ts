import type { QueryClient } from '@tanstack/react-query';
import type { MessagingGateway, StatisticsGetParams } from '#client';
import { currentKey, gatewayWith } from '../../api/gateway';
import { queries } from '../../api/queries';
import { preloadChart } from '../../components/chart/bar-chart.lazy';
import { may, type Session } from '../../session/session';

const WEEK: StatisticsGetParams = { period: '7d', group_by: 'day' };

export function weekStatistics(gateway: MessagingGateway) {
  return queries.statistics(gateway, WEEK);
}

/** Starts the overview's requests while the browser still renders the frame of the page. */
export function prefetchOverview(client: QueryClient, session: Session): void {
  const gateway = gatewayWith(currentKey(session));
  if (!session.scopes[session.environment] || !may(session, 'read:status')) return;
  void client.prefetchQuery(queries.problems(gateway));
  void client.prefetchQuery(queries.status(gateway));
  void client.prefetchQuery(queries.aiStatus(gateway));
  if (may(session, 'read:messages')) void client.prefetchQuery(queries.failures(gateway));
  if (may(session, 'admin:settings')) {
    void client.prefetchQuery(weekStatistics(gateway));
    preloadChart();
  }
}
