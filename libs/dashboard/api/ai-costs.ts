import { queryOptions } from '@tanstack/react-query';
import type { AiUsageParams, MessagingGateway } from '#client';
import { nameOf } from '../components/people/person-name';
import { PLATFORMS } from '../components/people/platform';
import { participantsOf } from './participants';

const DEAREST_SHOWN = 10;
/** Page size of the list of keys. */
const PER_PAGE = 100;

/** The AI's costs of the last days, with the names of their keys, accounts and people. @param mayName whether people may be read */
export const aiCosts = (
  gateway: MessagingGateway,
  group: NonNullable<AiUsageParams['group_by']>,
  days: number,
  mayName: boolean,
) =>
  queryOptions({
    queryKey: ['ai-costs', group, days],
    queryFn: async ({ signal }) => {
      const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
      const start = new Date(Date.now() - (days - 1) * 86_400_000).toLocaleDateString('sv', { timeZone });
      const query = { group_by: group, start_date: start, time_zone: timeZone };
      const { items } = await gateway.statistics.getAiUsage(query, { signal });
      const shown = group === 'conversation' ? items.slice(0, DEAREST_SHOWN) : items;
      const names = new Map<string, string>();
      if (group === 'key')
        for await (const { id, name } of gateway.apiKeys.list({ per_page: PER_PAGE }, { signal })) names.set(id, name);
      if (group === 'account')
        for (const { id, name, platform } of await gateway.integrations.list({ signal }))
          if (id !== null) names.set(id, `${PLATFORMS[platform].name}: ${name}`);
      const ids = mayName ? shown.flatMap(({ conversation }) => conversation ?? []) : [];
      for (const [id, participant] of await participantsOf(gateway, ids, signal)) names.set(id, nameOf(participant));
      return { items: shown, names };
    },
  });
